/**
 * The chat as a visitor has it, beside the settings it is made of. The helper runs in this page, on the key that the desk
 * was entered with: what it is asked goes by the public API, and nothing of it is reached from elsewhere.
 */

import { createHelper, createMemoryStore } from 'porchlight';
import { createChat } from 'porchlight/widget';
import { projectId, readKey } from './api.ts';

const basePath = '/desk/preview';
const quiet = { info() {}, warn() {}, error() {} };

/** What the desk says: of which agent, and what of it is not saved yet. */
export interface Preview {
  botId: string;
  openStyle: 'normal' | 'dock';
  name: string;
  branding: object;
}

const network = globalThis.fetch.bind(globalThis);
let answer: ((request: Request) => Promise<Response>) | undefined;
let draft: Preview | undefined;

/** The widget’s calls are the helper’s to answer; of the helper’s own, the agent is read as it would be saved. */
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const { pathname } = new URL(request.url);
  if (pathname.startsWith(`${basePath}/`)) return answer!(request);
  const response = await network(request).catch((thrown: unknown) => {
    if (pathname === '/v1/bot/read') parent.postMessage('failed', location.origin);
    throw thrown;
  });
  if (pathname !== '/v1/bot/read' || !draft) return response;
  if (!response.ok) {
    parent.postMessage('failed', location.origin);
    return response;
  }
  const { bot } = (await response.json()) as { bot: { branding: object } };
  const { name, branding } = draft;
  return Response.json({ bot: { ...bot, name, branding: { ...bot.branding, ...branding } } });
};

/** Who types in the desk goes on typing there: nothing here takes the focus that is elsewhere. */
const { focus } = HTMLElement.prototype;
HTMLElement.prototype.focus = function (this: HTMLElement, options) {
  if (document.hasFocus()) focus.call(this, options);
};

let end = () => {};

function show(preview: Preview) {
  const apiKey = readKey();
  // Taken back meanwhile: the door stands over the desk.
  if (!apiKey) return;
  end();
  draft = preview;
  for (const name of Object.keys(localStorage))
    if (name.startsWith('porchlight')) localStorage.removeItem(name);
  const helper = createHelper({
    agentUrl: location.origin,
    apiKey,
    projectId,
    botId: preview.botId,
    store: createMemoryStore(),
    basePath,
    limits: 'off',
    log: quiet,
  });
  answer = (request) => helper.fetch(request);
  const chat = createChat({ botId: preview.botId, helper: basePath, openStyle: preview.openStyle });
  chat.on('ready', () => chat.open());
  end = () => {
    chat.destroy();
    void helper.close(0);
  };
}

addEventListener('message', ({ source, data }) => {
  if (source === parent && parent !== window && typeof data?.botId === 'string') show(data as Preview);
});
parent.postMessage('ready', location.origin);
