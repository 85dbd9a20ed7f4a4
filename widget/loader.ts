/** The script that a page embeds: starts the chat that its tag asks for, as `window.Porchlight`. */
import { type ChatApi, startChat } from './chat.ts';
import { readOptions } from './options.ts';
import type { Call } from './public.ts';

const page = window as unknown as { Porchlight?: ChatApi | Call[] };
const { Porchlight: known } = page;
// A module has no script of its own, and its tag can still be found.
const script = (document.currentScript ??
  document.querySelector('script[data-bot-id]')) as HTMLScriptElement | null;
if (!script?.dataset.botId) console.error('Porchlight: add data-bot-id to its script tag');
// An element of the page with this id has the name too, until it is ours.
if (script && (known as ChatApi | undefined)?.tag) (known as ChatApi).tag(script);
else if (script) {
  const api = startChat(readOptions(script), script.src, () => {
    delete page.Porchlight;
  });
  page.Porchlight = api;
  api.tag(script);
  if (Array.isArray(known)) api.push(...known);
}
