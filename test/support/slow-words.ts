/** An answer of many words, which takes its time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FakeAgent } from './fake-agent.ts';
import type { FakeAnswer } from './fake-answer.ts';

/** Tells all words, one each `ms`, also to those who ask for the running reply, and writes them down. */
export function tellWords(agent: FakeAgent, all: readonly string[], ms: number) {
  return async (answer: FakeAnswer): Promise<void> => {
    let told = 0;
    const tell = async (one: FakeAnswer) => {
      one.open();
      for (let next = 0; next < all.length; next += 1) {
        while (next >= told) await sleep(1);
        one.event('delta', { text: all[next] });
      }
      one.end();
    };
    agent.streaming.set(answer.chatId, tell);
    answer.recordQuestion();
    answer.open();
    answer.event('delta', { sources: [{ title: 'Care', url: 'https://shop.test/care' }] });
    for (const text of all) {
      answer.event('delta', { text });
      told += 1;
      await sleep(ms);
    }
    agent.streaming.delete(answer.chatId);
    const message = answer.recordReply(all.join(''));
    answer.event('done', {
      chat: { reply: all.join(''), agent: message, sources: [], usage: { tokens: 7 } },
    });
    answer.end();
  };
}
