/** Loads what the page's own calls need with the first of them, and carries them out in the order in which they came. */
import type { PageMethods } from './seat.ts';
import type { Site, SiteParts } from './site.ts';
import { tellOwner } from './states.ts';
import { wait } from './transport/backoff.ts';

/** What the tag says in the agent's place, and of its page. */
const words = /title|greet|start|metad|words/;
/** The agent's words and English, rather than nothing. */
const patienceMs = 3_000;
const againMs = 10_000;

/** @param onSite what the tag says of the agent is known */
export function createCalls(parts: SiteParts, onSite: () => void) {
  const { options, panel, conversation } = parts;
  let loading: Promise<void> | undefined;
  // One promise for all: imports of one file that come to an end together do so in any order.
  const load = () => {
    loading ??= import('./site.ts').then(
      ({ createSite }) => {
        calls.site = createSite(parts);
        onSite();
        return calls.site.spoken;
      },
      () => {
        loading = undefined;
        tellOwner('part-failed', options.helper);
      },
    );
    return loading;
  };
  const soon = (done: Promise<void>) => Promise.race([done, wait(patienceMs)]);
  const calls = {
    /** Undefined until it is needed, and there. */
    site: undefined as (Site & PageMethods) | undefined,
    /** What the page has had done comes before what is asked, and what that needs is waited for: this wait. */
    late: undefined as Promise<void> | undefined,
    toCall:
      (name: keyof PageMethods) =>
      (...values: unknown[]) => {
        const visit = panel.visit.value;
        const shown = !calls.site && conversation.entries.value;
        const loaded = load();
        const end = () => {
          calls.late = undefined;
          conversation.release();
        };
        if (shown) {
          calls.late ??= soon(loaded);
          calls.late.then(end);
        }
        const { late } = calls;
        void loaded.then(() => {
          const { site, late: now } = calls;
          // What was meant for another visitor is dropped, and what would take away a question that waited for it no longer.
          if (visit !== panel.visit.value && !/^set[LO]/.test(name)) return;
          if (!site) {
            if (!/^send|^pre/.test(name)) return;
            // Without it nothing can be asked: the question is the visitor's to send.
            parts.open();
            panel.giveBack(values[0] as string);
          } else if (!shown || late === now || shown === conversation.entries.value || !/Conv/.test(name))
            (site as Record<typeof name, (...all: unknown[]) => void>)[name](...values);
        });
      },
  };
  const isEnglish = /^(en\b|$)/i.test(options.language ?? document.documentElement.lang);
  const isNeeded = !isEnglish || words.test(JSON.stringify(options));
  const begin = () => load().then(() => void (calls.site || setTimeout(load, againMs)));
  return Object.assign(calls, {
    /** Once the words of the chat are there, if they come soon. */
    settled: isNeeded && soon(begin()),
  });
}
