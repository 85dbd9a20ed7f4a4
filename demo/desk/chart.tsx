/** A small bar chart, and the same as a table for who does not see it. */

export interface BarsProps {
  title: string;
  points: readonly (readonly [name: string, count: number])[];
  /** The names are read, not only the first and the last. */
  isNamed?: boolean;
}

const [width, height, most] = [720, 120, 90];

export function Bars({ title, points, isNamed = false }: BarsProps) {
  const shown = isNamed ? points.slice(0, 10) : withEmptyDays(points).slice(-most);
  if (shown.length === 0) return <p class="faint">{title}: nothing yet.</p>;
  const highest = Math.max(1, ...shown.map(([, count]) => count));
  if (isNamed)
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
              <td>{count}</td>
            </tr>
          ))}
        </tbody>
      </table>
    );
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

/** A day that is not told of had none. */
function withEmptyDays(points: BarsProps['points']): [name: string, count: number][] {
  const counts = new Map(points);
  const days = [...counts.keys()].sort();
  const shown: [string, number][] = [];
  if (days.length === 0) return shown;
  const last = Date.parse(days.at(-1)!);
  const first = Math.max(Date.parse(days[0]!), last - (most - 1) * dayMs);
  for (let at = first; at <= last; at += dayMs) {
    const day = new Date(at).toISOString().slice(0, 10);
    shown.push([day, counts.get(day) ?? 0]);
  }
  return shown;
}

function toWords(title: string, points: BarsProps['points']): string {
  return `${title}: ${points.map(([name, count]) => `${name} ${count}`).join(', ')}`;
}
