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
  /** As written; `readDockWidth` and `readTheme` make sense of them. */
  dockWidth: string | undefined;
  theme: string | undefined;
  /** `hidden`, as is anything else: the page has a button of its own. */
  launcher: string | undefined;
  /** Seconds, 1 to 60. */
  autoOpen: string | undefined;
  /** BCP 47. */
  language: string | undefined;
  title: string | undefined;
  placeholder: string | undefined;
  /** JSON, as is the next. */
  greetings: string | undefined;
  starters: string | undefined;
  metadata: string | undefined;
  words: string | undefined;
};

/** In a smaller window the chat covers the page. */
export const smallQuery = '(max-width: 479.98px), (max-height: 399.98px)';

export function readOptions({ dataset, src }: HTMLScriptElement): WidgetOptions {
  const { helper } = dataset;
  let base = new URL('..', src);
  if (helper)
    try {
      base = new URL(helper, document.baseURI);
    } catch {
      console.error('Porchlight: data-helper is no address');
    }
  return { ...dataset, helper: base.href.replace(/\/$/, '') } as WidgetOptions;
}

const defaultDockWidth = 720;

/** CSS pixels. */
export function readDockWidth({ dockWidth }: WidgetOptions): number {
  const width = Number(dockWidth);
  return width >= 320 && width <= 1200 ? width : defaultDockWidth;
}

/** Undefined: as the visitor prefers. */
export function readTheme({ theme }: WidgetOptions): 'light' | 'dark' | undefined {
  return theme === 'dark' || theme === 'light' ? theme : undefined;
}
