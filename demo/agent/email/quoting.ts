/** What somebody wrote in a mail, without what the mail before it said, and without who they are. */

const mostChars = 20_000;
/** As mail programs begin what they repeat: "-- " alone begins a signature. */
const rest =
  /^(-- |-{2,}\s*(original message|forwarded message|urspr\u00fcngliche nachricht|message d'origine)\s*-{2,}|sent from my .{1,40}|get outlook for .{1,40}|von meinem .{1,40} gesendet|envoy\u00e9 de(puis)? mon .{1,40}|enviado desde mi .{1,40})$/i;
/** "On Monday, Ada wrote:", in the languages that do so with a verb. */
const introduction = /^(on|am|le|el|il|op|em|den|dne|w dniu) .{5,300}:$/i;
const sender = /^\*?(from|von|de|da|van|fra|fr\u00e5n|od)\s*:/i;
const moment =
  /^\*?(sent|date|gesendet|datum|envoy\u00e9|enviado|fecha|inviato|data|verzonden|sendt|skickat|wys\u0142ano)\s*:/i;
const closing =
  /^((with )?(best|kind|warm|warmest|many)( (regards|wishes|thanks))?|regards|cheers|sincerely( yours)?|yours( (sincerely|faithfully|truly))?|thanks|thank you|many thanks|thanks in advance|thx|mit freundlichen gr\u00fc\u00dfen|(viele|liebe|beste|sch\u00f6ne) gr\u00fc\u00dfe|mfg|vg|lg|cordialement|bien \u00e0 vous|saludos( cordiales)?|un saludo|cordiali saluti|met vriendelijke groet(en)?|atenciosamente)[,.!]*$/i;
const headerLines = 3;

export function toQuestion(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => (line === '-- ' ? line : line.trim()));
  const end = lines.findIndex((line, at) => endsThere(line, lines, at));
  return (end < 0 ? lines : lines.slice(0, end))
    .filter((line) => !line.startsWith('>'))
    .join('\n')
    .trim()
    .slice(0, mostChars);
}

function endsThere(line: string, lines: readonly string[], at: number): boolean {
  if (rest.test(line)) return true;
  // What begins with thanks, and goes on with a question, is not over.
  if (closing.test(line))
    return (
      lines.slice(0, at).some((one) => one !== '' && !one.startsWith('>')) &&
      !lines.slice(at).some((one) => one.includes('?') && !one.startsWith('>'))
    );
  if (sender.test(line)) return lines.slice(at + 1, at + 1 + headerLines).some((one) => moment.test(one));
  // The introduction may stand on two lines.
  const said = line.endsWith(':') ? line : `${line} ${lines[at + 1] ?? ''}`;
  const next = lines.slice(line.endsWith(':') ? at + 1 : at + 2).find((one) => one !== '');
  return introduction.test(said) && next?.startsWith('>') === true;
}
