/** UUIDs, version 4 (RFC 9562), on plain-http pages too: `crypto.randomUUID` is missing there. */
export function makeUuid(): string {
  // Each x any hexadecimal digit, and the y one of 8, 9, a and b.
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (place) => {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
    return (place === 'x' ? byte & 15 : (byte & 3) | 8).toString(16);
  });
}
