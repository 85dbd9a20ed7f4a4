/** What the loader hands to the app, and what the app answers. */
import type { WidgetOptions } from './options.ts';
import type { PorchlightApi } from './public.ts';

export type Seat = {
  element: HTMLElement;
  root: ShadowRoot;
  /** Absent in dock style, which is there to be written into. */
  launcher: HTMLButtonElement | undefined;
  options: WidgetOptions;
  /** Where the widget keeps what survives a reload. */
  memoryKey: string;
};

export type AppMethods = Pick<PorchlightApi, 'open' | 'close' | 'toggle' | 'identify' | 'on' | 'destroy'>;

/** What the app's module exports. */
export type AppModule = { createWidget: (seat: Seat) => AppMethods };
