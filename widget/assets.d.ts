/** Style sheets are imported as text and become constructable sheets. */
declare module '*.css?inline' {
  const css: string;
  export default css;
}
