/** Several secrets of one kind, as a variable holds them and `porchlight keys --rotate` writes them: the first one signs. */
export function splitSecrets(value: string): string[] {
  return value.includes(',') ? value.split(',').map((one) => one.trim()) : [value];
}
