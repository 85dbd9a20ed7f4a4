/** The chat's view without a browser: the real models over a helper that a test plays, rendered for its users to find. */
import { signal } from '@preact/signals';
import { configure, render } from '@testing-library/preact';
import type { TurnEvent } from '../../server-helper/protocol/wire.ts';
import { WidgetError } from '../../widget/errors.ts';
import { readOptions } from '../../widget/options.ts';
import { createConversation } from '../../widget/state/conversation.ts';
import type { Display } from '../../widget/state/display.ts';
import { createMemory } from '../../widget/state/memory.ts';
import { createPanel } from '../../widget/state/panel.ts';
import { createUnsent } from '../../widget/state/unsent.ts';
import { en, type Strings } from '../../widget/strings/en.ts';
import type { Call } from '../../widget/transport/http.ts';
import type { SessionKeeper, SessionState } from '../../widget/transport/session.ts';
import type { Tabs } from '../../widget/transport/tabs.ts';
import { App } from '../../widget/view/app.tsx';

// Parts that a browser loads on demand are compiled here when they are first met, which takes a busy machine a while.
configure({ asyncUtilTimeout: 10_000 });
await Promise.all([
  import('../../widget/view/actions.tsx'),
  import('../../widget/view/decision.tsx'),
  import('../../widget/view/history.tsx'),
  import('../../widget/view/my-data.tsx'),
]);

export type Reply = object | WidgetError | Promise<object>;

/** A stream of a turn that the test writes, event by event. */
export function createTurnStream() {
  let number = 0;
  let out!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      out = controller;
    },
  });
  const write = (text: string) => out.enqueue(new TextEncoder().encode(text));
  return {
    response: new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    say({ kind, data }: TurnEvent) {
      write(`id: ${number++}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    end: () => out.close(),
  };
}

const agent = {
  name: 'Vesper',
  placeholder: 'Ask anything',
  greetings: ['Hello.'],
  starters: ['What can you do?'],
};
const session = {
  session: 'a.b.c',
  subject: 'anonymous:one',
  guestReason: undefined,
  expiresInSeconds: 3600,
  visitor: { kind: 'anonymous', member: false },
  agent,
  allowed: { reasoningModes: ['auto'], attachments: false, chatModes: ['ask'] },
} as const;

/** @param respond what the helper says to a call; a Response stands as it is, anything else becomes JSON */
export async function renderChat(
  respond: (call: Call) => Reply,
  { isReady = (): boolean => true, begin: onBegin = () => {} } = {},
) {
  const calls: Call[] = [];
  const sessions = {
    call: async (call: Call) => {
      calls.push(call);
      const reply = await respond(call);
      if (reply instanceof WidgetError) throw reply;
      return reply instanceof Response ? reply : Response.json(reply);
    },
    identify() {},
    restart() {},
    isSettled: true,
  } as unknown as SessionKeeper;
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  } as Storage;
  const memory = createMemory('test', () => storage);
  const tabs: Tabs = { tell() {}, close() {} };
  const panel = createPanel(false);
  const conversation = createConversation({
    sessions,
    memory,
    unsent: createUnsent('test'),
    tabs,
    readPage: () => undefined,
    readSaid: () => undefined,
    readMode: () => undefined,
    onNextFrame: (draw) => queueMicrotask(draw),
    readVeil: () => panel.veil.value,
    onTakenBack: panel.giveBack,
    onSent: () => panel.setOpen(true),
    onEnded: () => {},
    isReady,
    begin: onBegin,
  });
  /** What the keeper does once it is known who is there. */
  const begin = (subject: string = session.subject) =>
    panel.publish({ ...session, subject } as unknown as SessionState);
  panel.setOpen(true);
  begin();
  const chat = {
    sessions,
    tabs,
    panel,
    conversation,
    options: readOptions(
      Object.assign(document.createElement('script'), {
        src: 'https://shop.test/porchlight/widget/loader.js',
      }),
    ),
    strings: signal<Strings>(en),
    root: document as unknown as ShadowRoot,
    display: signal<Display>((answer) => answer),
    begin() {},
    open: () => panel.setOpen(true),
    close: () => panel.setOpen(false),
    memory,
  };
  const view = render(<App chat={chat} focuses={() => true} />);
  return { ...view, panel, conversation, tabs, calls, begin };
}
