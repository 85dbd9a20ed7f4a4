/** The accent colour, and the ink that can be read on it. */

/** Sets `--accent` on the element; a hex colour too light for white gets dark ink (WCAG 2.2, contrast 4.5). */
export function applyAccent(element: HTMLElement, color: string): void {
  element.style.setProperty('--accent', color);
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(color)?.[1];
  if (hex === undefined) return;
  const full = hex.length === 3 ? hex.replace(/./g, '$&$&') : hex;
  const [red, green, blue] = [0, 2, 4].map((at) => {
    const channel = Number.parseInt(full.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  element.style.setProperty('--on-accent', 1.05 / (luminance + 0.05) >= 4.5 ? '#fff' : '#111');
}
