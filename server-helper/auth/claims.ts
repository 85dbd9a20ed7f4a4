/** What an SSO token says of the visitor: one check for who mints it and for who believes it. */

const most = 254;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const unsafe = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\p{Surrogate}|^\s|\s$/u;

export function isLine(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= most && !unsafe.test(value);
}

export function toLineFault(name: string, end = ''): string {
  return `${name} must be a string of 1 to ${most} characters without control characters or outer space${end}`;
}

/** `null` is what many a database and library say for nothing. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/**
 * @param names what the claims are called where they are written
 * @returns what is wrong, and what was expected; undefined for good claims
 */
export function findFault(
  { email, name, subject }: { email: unknown; name: unknown; subject: unknown },
  names: { subject: string },
): string | undefined {
  if (!isLine(email)) return toLineFault('email');
  if (!isAbsent(name) && (typeof name !== 'string' || name.length > most))
    return `name must be a string of at most ${most} characters, or absent`;
  if (!isAbsent(subject) && !isLine(subject)) return toLineFault(names.subject, ', or absent');
  return undefined;
}
