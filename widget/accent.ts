/** The accent colour of the agent or of the tag; the style sheet finds the ink that can be read on it. */

/** What is no colour changes nothing, and `undefined` is none. */
export function applyAccent(element: HTMLElement, color: string | undefined): void {
  const given = color as string;
  if (CSS.supports('color', given)) element.style.setProperty('--_pl-accent', given);
}
