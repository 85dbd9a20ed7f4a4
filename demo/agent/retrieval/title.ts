/** A page's title without the site's name: "Shipping | The shop" is "Shipping". */
export function toShortTitle(title: string): string {
  return title.split(/\s+[|–—·-]\s+/)[0]?.trim() || title;
}
