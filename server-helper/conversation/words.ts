/** The words of a text: what stays however an agent writes it down, with other white space or letters put together otherwise. */
export function toWords(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim();
}
