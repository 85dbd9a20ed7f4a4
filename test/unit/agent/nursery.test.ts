/** The built-in answerer on a site that is written another way: questions as headings, and how to reach it in the footer alone. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSite } from '../../support/questions.ts';

describe('on the pages of a nursery', () => {
  let site: Awaited<ReturnType<typeof startSite>>;
  beforeAll(async () => {
    site = await startSite('nursery');
  });
  afterAll(() => site.close());

  const ask = async (message: string) => String((await site.client.chat(message)).body.chat.reply);

  test('a person is reached by what the footer says', async () => {
    expect(await ask('Can I speak to a human?')).toContain(
      'call 01632 960174 or write to hello@ouselbank.example',
    );
    expect(await ask("What's your phone number?")).toContain('01632 960174');
  });

  test('a question that stands over its answer is answered from the first word on', async () => {
    expect(await ask('Do I need an account to order online?')).toMatch(/^No, a guest may order\./);
  });

  test('a word that is younger than the dictionary is no misspelling of another', async () => {
    expect(await ask('wifi in the tea room?')).toContain('I found nothing about that');
  });

  test('what somebody is eating just now is an accident', async () => {
    expect(await ask('my toddler has just been chewing foxglove leaves what do i do')).toContain(
      'Ring the emergency services',
    );
  });
});
