/** Reads the widget's options from its script tag; what is wrong falls back to a default that works. */

export type WidgetOptions = {
  /** Base URL of the helper, absolute, without a slash at the end. */
  helper: string;
  botId: string | undefined;
  /** `dock`; anything else is a button that opens a window. */
  openStyle: string | undefined;
  /** `bottom-left`; anything else is at the right. */
  position: string | undefined;
  accentColor: string | undefined;
  /** What only the app needs. */
  dataset: DOMStringMap;
};

export function readOptions({ dataset, src }: HTMLScriptElement): WidgetOptions {
  const { helper, botId, openStyle, position, accentColor } = dataset;
  let base = new URL('..', src);
  if (helper)
    try {
      base = new URL(helper, document.baseURI);
    } catch {
      console.error('Porchlight: data-helper is no address');
    }
  return { helper: base.href.replace(/\/$/, ''), botId, openStyle, position, accentColor, dataset };
}

const defaultDockWidth = 720;

/** CSS pixels. */
export function readDockWidth({ dockWidth }: DOMStringMap): number {
  const width = Number(dockWidth);
  return width >= 320 && width <= 1200 ? width : defaultDockWidth;
}

/** Undefined: as the visitor prefers. */
export function readTheme({ theme }: DOMStringMap): 'light' | 'dark' | undefined {
  return theme === 'dark' || theme === 'light' ? theme : undefined;
}
