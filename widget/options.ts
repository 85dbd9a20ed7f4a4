/** Reads the widget's options from its script tag; what is wrong falls back to a default that works. */

export type WidgetOptions = {
  /** Base URL of the helper, without a slash at the end. */
  helper: string;
  botId: string;
  openStyle: 'normal' | 'dock';
  position: 'bottom-right' | 'bottom-left';
  /** CSS pixels. */
  dockWidth: number;
  userToken: string | undefined;
  accentColor: string | undefined;
  theme: 'light' | 'dark' | undefined;
};

const defaultDockWidth = 720;

export function readOptions(script: HTMLScriptElement): WidgetOptions {
  const { dataset } = script;
  const width = Number(dataset.dockWidth);
  return {
    helper: new URL(dataset.helper ?? '..', dataset.helper ? document.baseURI : script.src).href.replace(
      /\/$/,
      '',
    ),
    botId: dataset.botId ?? '',
    openStyle: dataset.openStyle === 'dock' ? 'dock' : 'normal',
    position: dataset.position === 'bottom-left' ? 'bottom-left' : 'bottom-right',
    dockWidth: width >= 320 && width <= 1200 ? width : defaultDockWidth,
    userToken: dataset.userToken || undefined,
    accentColor: dataset.accentColor || undefined,
    theme: dataset.theme === 'dark' || dataset.theme === 'light' ? dataset.theme : undefined,
  };
}
