/** A file as its text: what `porchlight init` writes. */
declare module '*?raw' {
  const text: string;
  export default text;
}
