/** A small bar chart, and the same as a table for who does not see it. */

export interface BarsProps {
  title: string;
  points: readonly (readonly [name: string, count: number])[];
}
interface DaysProps extends BarsProps {
  /** The first day. Absent: the first that had some. */
  from?: string | undefined;
}

const [width, height, most] = [720, 120, 100];

/** So many of each, most first. */
export function Bars({ title, points }: BarsProps) {
  if (points.length === 0) return <p class="faint">{title}: nothing yet.</p>;
  const shown = points.slice(0, 10);
  const highest = Math.max(1, ...shown.map(([, count]) => count));
  return (
    <table class="bars" aria-label={title}>
      <tbody>
        {shown.map(([name, count]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <rect width={(count / highest) * 100} height="10" />
              </svg>
            </td>
            <td>{count.toLocaleString()}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** So many a day, as `YYYY-MM-DD`. */
export function Days({ title: what, points, from }: DaysProps) {
  if (points.length === 0) return <p class="faint">{what}: nothing yet.</p>;
  const { buckets: shown, each } = toBuckets(points, from);
  const title = `${what} ${each}`;
  const highest = Math.max(1, ...shown.map(([, count]) => count));
  const step = width / Math.max(shown.length, 14);
  const share = `${(100 * step * shown.length) / width}%`;
  return (
    <figure class="chart">
      <figcaption>
        {title}, {highest.toLocaleString()} at most
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={toWords(title, shown)}
      >
        {shown.map(([name, count], index) => {
          const tall = (count / highest) * height;
          return (
            <rect key={name} x={index * step} y={height - tall} width={Math.max(step - 2, 1)} height={tall}>
              <title>{`${name}: ${count}`}</title>
            </rect>
          );
        })}
      </svg>
      <p class="axis" style={{ width: share }}>
        <span>{shown[0]![0]}</span>
        {shown.length > 1 && <span>{shown.at(-1)![0]}</span>}
      </p>
    </figure>
  );
}

const dayMs = 24 * 3_600_000;
const toDay = (at: number) => new Date(at).toISOString().slice(0, 10);

/** From the first day to today, as many days together as leave room for all. A day that is not told of had none. */
function toBuckets(points: BarsProps['points'], from: string | undefined) {
  const counts = new Map(points);
  const days = [...counts.keys(), toDay(Date.now())].sort();
  const first = Date.parse(from ?? days[0]!);
  const all = Math.max(1, Math.round((Date.parse(days.at(-1)!) - first) / dayMs) + 1);
  const size = Math.ceil(all / most);
  const buckets = Array.from({ length: Math.ceil(all / size) }, (_, index): [string, number] => {
    const at = first + index * size * dayMs;
    const sum = Array.from({ length: size }, (_, day) => counts.get(toDay(at + day * dayMs)) ?? 0);
    return [toDay(at), sum.reduce((one, other) => one + other, 0)];
  });
  return { buckets, each: size === 1 ? 'a day' : `in ${size} days` };
}

function toWords(title: string, points: BarsProps['points']): string {
  return `${title}: ${points.map(([name, count]) => `${name} ${count}`).join(', ')}`;
}
