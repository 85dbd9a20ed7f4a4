/** What the loader hands to the app, and what the app answers. */
import type { WidgetOptions } from './options.ts';
import type { PorchlightApi, UserToken } from './public.ts';

export type Seat = {
  /** Of the chat's element. */
  root: ShadowRoot;
  /** Older loaders give none in dock style, which is there to be written into. */
  launcher: HTMLButtonElement | undefined;
  options: WidgetOptions;
  /** Under which the widget keeps what survives a reload: its helper and bot. */
  memoryKey: string;
  /** When the page was read, in ms since 1970: what its tag says, it said then. */
  at: number;
};

export type PageMethods = Pick<
  PorchlightApi,
  | 'setOpenStyle'
  | 'setLanguage'
  | 'setContext'
  | 'send'
  | 'prefill'
  | 'newConversation'
  | 'openConversation'
  | 'on'
>;

export type AppMethods = Pick<PorchlightApi, 'close' | 'toggle' | 'destroy' | 'onBeforeDisplay'> &
  PageMethods & {
    /** @param why `auto`: by the tag's time, and not by anybody's act */
    open(why?: unknown): void;
    /** @param at when the page said so, in ms since 1970 @param isTag by the tag that each of its pages has */
    identify(userToken: UserToken | undefined, at: number, isTag?: boolean): void;
  };

/** What the app's module exports. */
export type AppModule = { createWidget: (seat: Seat) => AppMethods };
