/** What somebody wrote in a mail, without what the mail before it said. */

const mostChars = 20_000;
/** "On Monday, Ada wrote:", and as Outlook puts it. */
const introduction = /^(on .{5,200} wrote:|-{2,}\s*original message\s*-{2,}|from: .{1,200})$/i;

export function toQuestion(text: string): string {
  const lines = text.split(/\r?\n/);
  const end = lines.findIndex((line, at) => {
    const trimmed = line.trim();
    // "-- " begins a signature.
    if (line === '-- ' || introduction.test(trimmed)) return true;
    // The introduction may stand on two lines.
    return /^on .{5,200}$/i.test(trimmed) && /wrote:$/i.test(lines[at + 1]?.trim() ?? '');
  });
  return (end < 0 ? lines : lines.slice(0, end))
    .filter((line) => !line.startsWith('>'))
    .join('\n')
    .trim()
    .slice(0, mostChars);
}
