/** What somebody wrote in a mail, without what the mail before it said, and without who they are. */

const mostChars = 20_000;
/** Of a mail so much is looked at. */
const mostRead = 40_000;
/** As mail programs begin what they repeat: "-- " alone begins a signature. */
const rest =
  /^(-- |-{2,}\s*(original message|forwarded message|urspr\u00fcngliche nachricht|message d'origine)\s*-{2,}|sent from my .{1,40}|get outlook for .{1,40}|von meinem .{1,40} gesendet|envoy\u00e9 de(puis)? mon .{1,40}|enviado desde mi .{1,40})$/i;
/** "On Monday, Ada wrote:", in the languages that do so with a verb. */
const beginning = /^(on|am|le|el|il|op|em|den|dne|w dniu) /i;
const introduction = /^.{8,300}:$/;
const sender = /^\*?(from|von|de|da|van|fra|fr\u00e5n|od)\s*:/i;
const moment =
  /^\*?(sent|date|gesendet|datum|envoy\u00e9|enviado|fecha|inviato|data|verzonden|sendt|skickat|wys\u0142ano)\s*:/i;
const recipient =
  /^\*?(to|an|\u00e0|para|a|aan|till|til|do|subject|betreff|objet|asunto|oggetto|onderwerp)\s*:/i;
const closing =
  /^((with )?(best|kind|warm|warmest|many)( (regards|wishes|thanks))?|regards|cheers|sincerely( yours)?|yours( (sincerely|faithfully|truly))?|thanks|thank you|many thanks|thanks in advance|thx|mit freundlichen gr\u00fc\u00dfen|(viele|liebe|beste|sch\u00f6ne) gr\u00fc\u00dfe|mfg|vg|lg|cordialement|bien \u00e0 vous|saludos( cordiales)?|un saludo|cordiali saluti|met vriendelijke groet(en)?|atenciosamente)[,.!]*$/i;
const headerLines = 5;
/** What follows a closing: a name, a firm, a telephone. */
const [signatureLines, signatureChars] = [8, 60];
const dated = /\d|@|wrote|schrieb|\u00e9crit|escribi\u00f3|scritto|schreef|skrev/i;

/** Each line is looked at once, and a few beside it: a mail may have a hundred thousand. */
export function toQuestion(text: string): string {
  const lines = text
    .slice(0, mostRead)
    .split(/\r?\n/)
    .map((line) => (line === '-- ' ? line : line.trim()));
  let begun = false;
  let end = lines.length;
  for (const [at, line] of lines.entries()) {
    if (
      rest.test(line) ||
      (begun && isClosing(lines, at)) ||
      isHeader(lines, at) ||
      isIntroduction(lines, at)
    ) {
      end = at;
      break;
    }
    begun ||= line !== '' && !line.startsWith('>');
  }
  const own = join(lines.slice(0, end));
  // A mail that is passed on says nothing else.
  return (own === '' ? join(lines) : own).slice(0, mostChars);
}

const join = (lines: readonly string[]) =>
  lines
    .filter((line) => !line.startsWith('>'))
    .join('\n')
    .trim();

/** Nothing but who signs comes after it, or what the mail before said. */
function isClosing(lines: readonly string[], at: number): boolean {
  if (!closing.test(lines[at]!)) return false;
  let signed = 0;
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = lines[next]!;
    if (line === '') continue;
    if (line.startsWith('>') || rest.test(line) || isHeader(lines, next) || isIntroduction(lines, next))
      return true;
    signed += 1;
    if (signed > signatureLines || line.length > signatureChars || /[?.!]$/.test(line)) return false;
  }
  return true;
}

/** As Outlook puts what it repeats: who, when, to whom, about what. */
function isHeader(lines: readonly string[], at: number): boolean {
  if (!sender.test(lines[at]!)) return false;
  const next = lines.slice(at + 1, at + 1 + headerLines);
  return next.some((line) => moment.test(line)) && next.some((line) => recipient.test(line));
}

/** It may stand on two lines, and a blank one may follow. */
function isIntroduction(lines: readonly string[], at: number): boolean {
  const line = lines[at]!;
  if (!beginning.test(line)) return false;
  const isOne = line.endsWith(':');
  const said = isOne ? line : `${line} ${lines[at + 1] ?? ''}`;
  const after = lines.slice(at + (isOne ? 1 : 2), at + 4).find((one) => one !== '');
  return introduction.test(said) && dated.test(said) && after?.startsWith('>') === true;
}
