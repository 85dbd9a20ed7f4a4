/** Texts as the database can keep them. */

/** SQLite gives no character from a zero on: another one stands for it. */
export function withoutZero<T>(value: T): T {
  return typeof value === 'string' ? (value.replaceAll('\0', '\uFFFD') as T) : value;
}

/** Half of a character pair is none. */
export const wellFormed = (text: string) => Buffer.from(text).toString();
