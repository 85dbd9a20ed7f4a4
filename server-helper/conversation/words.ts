/** The words of a text: what stays however an agent writes it down, with other white space or letters put together otherwise. */
export function toWords(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim();
}

/** The record holds less than was heard: the agent has not written it all down yet. */
export function isBehind(recorded: string, heard: string): boolean {
  const [held, said] = [toWords(recorded), toWords(heard)];
  return held !== '' && said.includes(held) && !said.endsWith(held);
}
