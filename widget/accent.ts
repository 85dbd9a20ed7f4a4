/** The accent colour of the agent or of the tag; the style sheet finds the ink that can be read on it. */

/** What is no colour changes nothing. */
export function applyAccent(element: HTMLElement, color: string): void {
  if (CSS.supports('color', color)) element.style.setProperty('--_pl-accent', color);
}
