/** What somebody wrote in a mail, without what the mail before it said, and without who they are. */

const mostChars = 20_000;
/** Of a mail so much is looked at. */
const mostRead = 40_000;
/** As mail programs begin what they repeat: "-- " alone begins a signature. */
const rest =
  /^(-- |-{2,}\s*(original message|forwarded message|urspr\u00fcngliche nachricht|message d'origine)\s*-{2,}|sent from my .{1,40}|get outlook for .{1,40}|von meinem .{1,40} gesendet|envoy\u00e9 de(puis)? mon .{1,40}|enviado desde mi .{1,40})$/i;
/** What somebody passes on is what they ask about, whatever they say of it. */
const passedOn =
  /^(-{2,}\s*(forwarded message|weitergeleitete nachricht|message transf\u00e9r\u00e9|mensaje reenviado)\s*-{2,}|begin forwarded message:)$/i;
/** "On Monday, Ada wrote:", in the languages that do so with a verb. */
const beginning = /^(on|am|le|el|il|op|em|den|dne|w dniu) /i;
const introduction = /^.{8,300}:$/;
const sender = /^\*?(from|von|de|da|van|fra|fr\u00e5n|od)\s*:/i;
const sent = /^\*?(sent|gesendet|envoy\u00e9|enviado|inviato|verzonden|sendt|skickat|wys\u0142ano)\s*:/i;
const date = /^\*?(date|datum|fecha|data)\s*:/i;
const recipient = /^\*?(to|an|\u00e0|para|a|aan|till|til|do)\s*:/i;
const subject = /^\*?(subject|betreff|objet|asunto|oggetto|onderwerp|\u00e4mne|emne|temat)\s*:/i;
const closings =
  `with (best|kind|warm) (regards|wishes), (best|kind|kindest|warm|warmest|many)( (regards|wishes|thanks))?, all the best, regards, cheers,
  yours( (sincerely|faithfully|truly))?, sincerely( yours)?, thank you( (very|so) much)?( (in advance|and best regards))?, thanks( (a lot|so much|very much|again))?( (in advance|and best regards))?, thx,
  mit (freundlichen|besten|herzlichen|lieben) gr(ü|ue)(ß|ss)en?, (viele|liebe|beste|sch(ö|oe)ne|freundliche|herzliche) gr(ü|ue)(ß|ss)e?, (vielen|herzlichen|besten) dank( im voraus)?, danke, mfg, vg, lg,
  (bien )?cordialement, bien à vous, merci( (beaucoup|d'avance))?, (un )?saludos?( cordial(es)?)?, atentamente, (muchas )?gracias, (cordiali|distinti) saluti, grazie( mille)?,
  (met )?vriendelijke groet(en)?, groeten, groetjes, atenciosamente, obrigad[oa], (med )?vänlig(a)? hälsning(ar)?, mvh, hilsen`.split(
    /,\s+/,
  );
const closing = new RegExp(`^(?:${closings.join('|')})(?![\\p{L}\\p{N}])`, 'iu');
/** "Thanks, Ada", or a dash before who writes. */
const named = /^[\s,.!\u2013\u2014-]*(?:\p{Lu}[\p{L}.'\u2019-]*(?: \p{Lu}[\p{L}.'\u2019-]*){0,2}[.,]?)?$/u;
const dashed = /^[\u2013\u2014] ?\p{Lu}/u;
const headerLines = 5;
/** What follows a closing: a name, a firm, a telephone. */
const [signatureLines, signatureWords] = [6, 6];
/** "Order 1001" is no signature, nor is what asks. */
const telling =
  /\b(order|invoice|bestellung|rechnung|commande|pedido|ordine|no|nr|number|size|ref(erence)?)\b[ .:#-]*[\w-]*\d|#[\w-]*\d|^[a-z]{2,}-\d{4,}$|\b(what|how|when|where|why|who|which|can|could|do|does|did|is|are|will|would|please|was|wie|wann|wo|warum|wer|kann|ist|sind|bitte|comment|quand|o\u00f9|pourquoi|quel|quelle|peut|est|qu\u00e9|c\u00f3mo|cu\u00e1ndo|d\u00f3nde|por qu\u00e9)\b/i;
const seeSubject =
  /\(?\b(please )?((see|read|as in|cf\.?) (the )?(subject|title)( line)?|siehe betreff|s\. betreff|voir (l')?objet|ver asunto|vedi oggetto|zie onderwerp)\b[).,!]*/i;
const greeting =
  /^(?:[Hh]i(?:ya)?|[Hh]ello|[Hh]ey|[Dd]ear|[Gg]ood (?:morning|afternoon|evening|day)|[Tt]o whom it may concern|[Ss]ehr geehrte[rs]?|[Ll]iebe[rs]?|[Gg]uten (?:[Tt]ag|[Mm]orgen|[Aa]bend)|[Hh]allo|[Mm]oin|[Bb]onjour|[Hh]ola|[Cc]iao)(?: +(?:there|all|team|everyone|sir|madam|or|dear|zusammen|\p{Lu}[\p{L}.'\u2019-]*)){0,4} *[,!.:]*$/u;
const pointing = /^((please )?(advise|help|see above|see below|as above)[.!]*|[^\p{L}\p{N}]+)$/iu;
const leastOfSubject = 3;
const firm = /\b(ltd|inc|co|corp|llc|gmbh|jr|sr|bros|s\.?a)\.$/i;
const mostOfClosing = 80;
const telephone = /^[a-z.:]*\s*[+(]?\d[\d ()/.-]{5,}$/i;
/** Fewer words greet, and what they close is yet to come. */
const leastOfQuestion = 5;
const wrote =
  /wrote|schrieb|\u00e9crit|escribi\u00f3|escreveu|scritto|schreef|skrev|napisa|\u043f\u0438\u0441\u0430\u043b|kirjoitti|yazd\u0131/i;
const address = /[^\s<>()@]@[^\s<>()@]/;
const year = /\b(19|20)\d\d\b/;

/** @returns "" where nothing is asked. Each line is looked at once, and a few beside it: a mail may have a hundred thousand. */
export function toQuestion(text: string): string {
  const lines = text
    .slice(0, mostRead)
    .split(/\r?\n/)
    .map((line) => (line === '-- ' ? line : line.trim()));
  /** Its own words so far. */
  let words = 0;
  let asks = false;
  let end = lines.length;
  for (const [at, line] of lines.entries()) {
    if (passedOn.test(line)) break;
    if (
      rest.test(line) ||
      ((asks || words >= leastOfQuestion) && isClosing(lines, at)) ||
      isHeader(lines, at)
    ) {
      end = at;
      break;
    }
    const introducing = countIntroduction(lines, at);
    if (introducing > 0) {
      const isBelow = lines.slice(at + introducing).some((one) => one !== '' && !one.startsWith('>'));
      if (!isBelow) {
        end = at;
        break;
      }
      lines.fill('>', at, at + introducing);
      continue;
    }
    if ((asks || words >= leastOfQuestion) && isUnmarked(lines, at)) {
      end = at;
      break;
    }
    if (line === '' || line.startsWith('>')) continue;
    words += line.split(/\s+/).length;
    asks ||= line.includes('?');
  }
  const own = join(lines.slice(0, end));
  // A mail that is passed on says nothing else.
  if (own === '') return lines.some((_, at) => isHeader(lines, at)) ? join(lines).slice(0, mostChars) : '';
  return isThanksAlone(lines.slice(0, end)) ? '' : own.slice(0, mostChars);
}

/** What is asked may stand in the subject alone, but for an answer, whose subject is another's. */
export function toMessage(text: string, subject: string, isAnswer: boolean): string {
  const own = toQuestion(text);
  if (subject === '' || isAnswer || /^(re|aw|sv|tr|antw|rif|rv|odp|r) ?:/i.test(subject))
    // "Thank you!", without who says so.
    return own || text.trim().split(/\r?\n/)[0]!;
  const rest = own.replace(seeSubject, '').trim();
  if (rest !== own) return saysNothing(rest) ? subject : `${subject}\n\n${rest}`;
  const isAsked = subject.includes('?') || subject.split(/\s+/).length >= leastOfSubject;
  return own === '' || (isAsked && saysNothing(own)) ? subject : own;
}

/** But whom it is for, who it is from, and that there is something. */
function saysNothing(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.every(
    (line, at) =>
      (at === 0 && greeting.test(line)) || closes(line) || named.test(line) || pointing.test(line),
  );
}

const join = (lines: readonly string[]) =>
  lines
    .filter((line) => !line.startsWith('>'))
    .join('\n')
    .trim();

/** Thanks, or wishes, and who says so. */
function isThanksAlone(lines: readonly string[]): boolean {
  const [first = '', ...others] = lines.filter((line) => line !== '' && !line.startsWith('>'));
  return closes(first) && others.every((line) => named.test(line) || telephone.test(line));
}

/** Nothing but who signs comes after it, or what the mail before said. */
function isClosing(lines: readonly string[], at: number): boolean {
  if (!closes(lines[at]!)) return false;
  let signed = 0;
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = lines[next]!;
    if (line === '') continue;
    if (
      line.startsWith('>') ||
      rest.test(line) ||
      isHeader(lines, next) ||
      countIntroduction(lines, next) > 0
    )
      return true;
    signed += 1;
    if (signed > signatureLines || !isOfSignature(line)) return false;
  }
  return true;
}

function closes(line: string): boolean {
  if (line.length > mostOfClosing) return false;
  const [said] = closing.exec(line) ?? [];
  return said === undefined ? dashed.test(line) && named.test(line) : named.test(line.slice(said.length));
}

function isOfSignature(line: string): boolean {
  const words = line.split(/\s+/);
  if ((/[?.!]$/.test(line) && !firm.test(line)) || /^p\.? ?s\b/i.test(line) || words.length > signatureWords)
    return false;
  // Names and firms are written large.
  if (words.filter((word) => /^\p{Ll}{4}/u.test(word)).length > 1) return false;
  return telephone.test(line) || !telling.test(line);
}

/** As Outlook puts what it repeats: who, when, to whom, about what. */
function isHeader(lines: readonly string[], at: number): boolean {
  if (!sender.test(lines[at]!)) return false;
  const next = lines.slice(at + 1, at + 1 + headerLines);
  const has = (pattern: RegExp) => next.some((line) => pattern.test(line));
  if (has(sent)) return has(recipient) || has(subject);
  // "From: Vancouver, To: Toronto, Date: 12 May" is what somebody wants.
  return has(date) && has(recipient) && (has(subject) || lines[at]!.includes('@') || has(/@/));
}

/** Of one line or two. @returns "" where it is none */
function toIntroduction(lines: readonly string[], at: number): { said: string; count: 1 | 2 } {
  const [line, next = ''] = [lines[at]!, lines[at + 1]];
  const count = line.endsWith(':') ? 1 : 2;
  const isWrapped = count === 2 && next.endsWith(':') && (beginning.test(line) || /^[<(]/.test(next));
  const said = count === 1 ? line : isWrapped ? `${line} ${next}` : '';
  if (!introduction.test(said)) return { said: '', count };
  const tells = address.test(said) || (/\d/.test(said) && wrote.test(said));
  return {
    said: tells || (beginning.test(said) && (/\d/.test(said) || wrote.test(said))) ? said : '',
    count,
  };
}

/** What comes after it is marked; a blank line may stand between. @returns of how many lines it is */
function countIntroduction(lines: readonly string[], at: number): 0 | 1 | 2 {
  const { said, count } = toIntroduction(lines, at);
  if (said === '') return 0;
  const after = lines.slice(at + count, at + 4).find((one) => one !== '');
  return after?.startsWith('>') ? count : 0;
}

/** As Yahoo does: when and who, and nothing marks what they said. */
function isUnmarked(lines: readonly string[], at: number): boolean {
  const { said } = toIntroduction(lines, at);
  return beginning.test(said) && year.test(said) && address.test(said) && wrote.test(said);
}
