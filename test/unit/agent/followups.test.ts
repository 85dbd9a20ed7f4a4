/** Conversations with the built-in answerer over the shop's pages: each question after those before it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toChosen } from '../../../demo/agent/builtin/chosen.ts';
import { readFollowUp } from '../../../demo/agent/builtin/followup.ts';
import { toResultText } from '../../../demo/agent/builtin/toolresult.ts';
import { startShopAgent } from '../../support/agentservice.ts';
import { startSite } from '../../support/questions.ts';

let site: Awaited<ReturnType<typeof startSite>>;
beforeAll(async () => {
  site = await startSite('shop');
});
afterAll(() => site.close());

/** @returns the reply to the last of the questions */
async function converse(...questions: string[]): Promise<string> {
  const chat_id = randomUUID();
  let reply = '';
  for (const question of questions)
    reply = String((await site.client.chat(question, { chat_id })).body.chat.reply);
  return reply;
}

describe('a question in few words is about what was spoken of', () => {
  test.each([
    [['do you have gift cards', 'do they expire'], /^Gift cards are sold .* do not expire/],
    [['do you have gift cards', 'can i use two'], /^You can use up to three/],
    [
      ['how heavy is the skylark 2', 'and the other one how heavy'],
      /^\*\*Fieldhouse 4 tent\*\*, weight: 9.40 kg/,
    ],
    [['how heavy is the skylark 2', 'do you ship to Canada'], /Canada Post/],
    [['is the skylark 2 waterproof', 'how heavy is it'], /^\*\*Skylark 2 tent\*\*, weight: 1.92 kg/],
    [['how do i wash my tent', 'how long does it take to dry'], /^(?!.*[Tt]umble dry on low)/s],
    [
      ['how much does the skylark 2 weigh', 'and how long does it take to dry'],
      /^(?!.*[Tt]umble dry on low)/s,
    ],
    [['how do i wash my tent', 'can i return it'], /return/],
  ])('%j', async (questions, expected) => {
    expect(await converse(...questions)).toMatch(expected);
  });
});

test.each(['do you repair tents of other brands', 'do you fix gear that is not from you'])(
  'of what others sell nothing is promised: %s',
  async (question) => {
    expect(await converse(question)).toContain('I found nothing about that');
  },
);

test.each(['can i use two discount codes', 'how many discount codes can i use'])(
  'what a long paragraph says before of another matter is left out: %s',
  async (question) => {
    expect(await converse(question)).toMatch(/^Only one discount code works on an order/);
  },
);

test('a question about a kind is answered by what is said of its things by name', async () => {
  expect(await converse('how do i wash the sleeping bag')).toContain('Machine wash the Meadow 35');
});

describe('where it ships', () => {
  test('to a place on the list: its rows', async () => {
    const reply = await converse('do you ship to Canada');
    expect(reply).toContain('Canada, standard');
    expect(reply).not.toContain('Alaska');
  });
  test('to one that is not: the list', async () => {
    const reply = await converse('do you ship to Norway');
    expect(reply).toContain('Contiguous US, standard');
    expect(reply).toContain('UK, Ireland, France');
  });
});

describe('what customers ask first, in a hurry', () => {
  test.each([
    ['whers my order', /^You get a tracking number/],
    ['do u have a discount code', /^Only one discount code works/],
    ['any coupons?', /^Only one discount code works/],
    ['is there a warranty', /^\*\*Warranty by product\*\*/],
    ['what is the minimum for free shipping', /\| Contiguous US, standard .* free from \$99 \|/],
    ['free shipping?', /^(?!.*Alaska)/s],
    ['shop address', /14 Mill Lane/],
    ['what stove do you have', /\| Kestrel canister stove \| \$64 \|/],
    ['do you sell sleeping bags', /^The site has: \[1\]\n\n(?=.*Meadow 35)(?=.*Lark 20)/s],
    ['do you deliver', /^\*\*Delivery times and costs by region\*\*/],
    ['are you open on sunday', /\| Sunday \| Closed \| Closed \|/],
    ['are you open on christmas', /^We are closed on January 1, .* December 25/],
    ['closed new years day?', /^We are closed on January 1/],
    ['do you sell kayaks', /^I found nothing/],
    ['do you sell socks', /^I found nothing/],
    ['do you sell fuel', /^We do not sell or ship fuel/],
    ['how much is the skylark', /^\*\*Skylark 2 tent\*\*, price: \$389\. \[1\]$/m],
    ['ridgeway vs towpath', /^\| Price \| \$229 \| \$98 \|$/m],
    ['how much is the reduced skylark', /\$289/],
    ['how much is express shipping', /\| Contiguous US, express .* \$24 \|/],
    ['open tuesday?', /^\| Tuesday \| 9 am to 6 pm \| Closed \|$/m],
    ['your site sucks', /^I am sorry that this did not help/],
    ['which pack is the lightest', /^The lightest is \*\*Towpath 22 day pack\*\*/],
    ['thanks bye', /^Goodbye/],
    ['hi, thanks', /^You are welcome/],
  ])('%s', async (asked, expected) => {
    expect(await converse(asked)).toMatch(expected);
  });
});

describe('danger', () => {
  test.each([
    ['my tent is on fire', true],
    ['fire!!', true],
    ['the stove exploded and burned my hand', true],
    ['friend collapsed in tent', true],
    ['my wife has carbon monoxide poisoning', true],
    ['i have a headache and my tent stove is on', true],
    ['i burned my hand on the stove', true],
    ['i burned my tent with a spark is it covered', false],
    ['my stove exploded, is that covered by the warranty', false],
    ['i burned my sleeping bag can you patch it', false],
    ['i feel sick of waiting for my order', false],
    ['i am choking on the price', false],
    ['can i make a fire near the tent', false],
    ['is the tent fire resistant', false],
  ])('%s: whether somebody has to be called: %s', async (asked, isCall) => {
    const reply = await converse(asked);
    if (isCall) expect(reply).toContain('112 or 911');
    else expect(reply).not.toContain('112 or 911');
    expect(reply).not.toContain('To reach one');
  });
});

test.each([
  ['the big one', 'Ridgeway 55 pack'],
  ['the second one', 'Towpath 22 day pack'],
  ['small', 'Towpath 22 day pack'],
  ['1', 'Ridgeway 55 pack'],
  ['towpath pls', 'Towpath 22 day pack'],
  ['RIDGEWAY 55 PACK', 'Ridgeway 55 pack'],
  ['both', 'Ridgeway 55 pack Towpath 22 day pack'],
  ['the blue one', 'blue'],
])('"%s" said to a question with choices is %s', (answer, expected) => {
  expect(toChosen(answer, ['Ridgeway 55 pack', 'Towpath 22 day pack'])).toBe(expected);
});

test.each(['anything on sale?', 'any deals', 'do you have any special offers right now'])(
  '%s',
  async (asked) => {
    expect(await converse(asked)).toContain('Reduced items, while they last');
  },
);

describe('a warning', () => {
  const warning = 'carbon monoxide';
  test.each(['can i use the stove in the vestibule', 'is it safe to cook in the tent'])(
    '%s',
    async (asked) => {
      expect(await converse(asked)).toContain(warning);
    },
  );
  test.each(['are your geese killed humanely', 'can i charge my phone in the tent'])(
    'has nothing to do with "%s"',
    async (asked) => {
      expect(await converse(asked)).not.toContain(warning);
    },
  );
  test('what to do about a smell of gas is told first', async () => {
    expect(await converse('I smell gas')).toMatch(/^If you hear or smell gas, close the valve/);
  });
});

describe("a tool's result", () => {
  const called = { name: 'stock', title: 'Stock', parameters: { product: 'Fell boots' } };
  const result = {
    product: 'Fell boots',
    inStock: true,
    sizes: { 'women’s 9': 0, 'men’s 9': 5 },
    due: '2026-11-26',
  };
  const tell = (asked: string) => toResultText(called, { ok: true, result }, asked).split('\n')[0];
  test.each([
    ["do you have the boots in women's 9", '**Fell boots**, women’s 9: not in stock.'],
    ['fell boots womens 9 in stock', '**Fell boots**, women’s 9: not in stock.'],
    ['men’s 9 in stock?', '**Fell boots**, men’s 9: in stock.'],
    ['are the boots in stock', '**Fell boots**: in stock.'],
    ['size 12 in stock?', '**Fell boots**: in stock.'],
  ])('%s', (asked, expected) => {
    expect(tell(asked)).toBe(expected);
  });
  test('has its dates in words and its counts by name', () => {
    const text = toResultText(called, { ok: true, result });
    expect(text).toContain('- Due: November 26, 2026');
    expect(text).toContain('- Sizes: women’s 9: 0, men’s 9: 5');
  });
});

describe('an accident', () => {
  let clinic: Awaited<ReturnType<typeof startSite>>;
  beforeAll(async () => {
    clinic = await startSite('clinic');
  });
  afterAll(() => clinic.close());
  const ask = async (asked: string) => String((await clinic.client.chat(asked)).body.chat.reply);
  test('that no page speaks of is told whom to call', async () => {
    expect(await ask('dog was bitten by a snake')).toMatch(/^I found nothing .* Call 01632 960199/);
  });
  test.each([
    ['she ate onion gravy', 'Onions, garlic, leeks'],
    ['dog wolfed down a whole bar of dark choc!!', 'dark chocolate is the worst'],
  ])('"%s" is told by its row in the table of poisons', async (asked, row) => {
    expect(await ask(asked)).toContain(row);
  });
  test('to oneself: the emergency number', async () => {
    expect(await converse('I feel dizzy in the tent and the stove is on')).toMatch(
      /^Call the emergency number/,
    );
  });
});

test('a stock look-up gets the whole name of what is asked for, or all that was said of it', async () => {
  const shop = await startShopAgent();
  await shop.client.call('POST', '/v1/bot/source/create', {
    type: 'text',
    title: 'More stoves',
    source:
      '## Stoves\n\n### Hearth two-burner stove\n\nA table stove.\n\n### Fell 9 stove\n\nA small stove. Its windshield fits no other.',
  });
  await shop.service.idle();
  const lookUp = async (asked: string) => {
    await shop.client.chat(asked);
    return shop.shop.calls.at(-1)?.parameters.product;
  };
  expect(await lookUp('hearth stove in stock?')).toBe('Hearth two-burner stove');
  expect(await lookUp('is the fell windshield in stock')).toBe('fell windshield');
  const chat_id = crypto.randomUUID();
  await shop.client.chat('how much is the hearth stove?', { chat_id });
  await shop.client.chat('and is it in stock?', { chat_id });
  expect(shop.shop.calls.at(-1)?.parameters.product).toBe('Hearth two-burner stove');
  await shop.close();
});

describe('what a newcomer asked', () => {
  test.each([
    ['where are your tents made', /Vietnam/],
    ['delete my data', /have it deleted/],
    ['how old is your company', /2009/],
    ['when will i be charged', /When the order is packed/],
    ['can a real person talk to me', /^I cannot hand over to a person here/],
    ['u didnt answer my question', /^I am sorry/],
    ['is it ok to sleep with the stove on', /^Use a stove outdoors only/],
    ['heat the tent with the hearth', /^Use a stove outdoors only/],
    ['can i use the hearth in my van', /^Use a stove outdoors only/],
    ['is it ok to have a fire in the tent', /^Use a stove outdoors only/],
    ['cancel order LF-10268', /^You can change or cancel an order free of charge/],
    ['what data do you keep about me', /Orders and invoices \| Tax law/],
    ['how long do you keep my data', /Orders and invoices \| Tax law/],
    ['kid swallowed fuel', /^Call the emergency number first/],
    ['my son is burned', /^Call the emergency number first/],
    ['Сколько стоит доставка?', /^I understand English only/],
  ])('%s', async (asked, expected) => {
    expect(await converse(asked)).toMatch(expected);
  });
  test.each(['can I return boots I wore outside for one hike', 'tent smells moldy can you fix it'])(
    '"%s" gets no warning',
    async (asked) => {
      expect(await converse(asked)).not.toContain('carbon monoxide');
    },
  );
  test('no page is called near that has nothing to do with it', async () => {
    expect(await converse('who won the world cup')).not.toContain('nearest');
  });
});

describe('after an order was looked up', () => {
  const result = {
    orderNumber: 'LF-10234',
    status: 'shipped',
    placedOn: '2026-11-18',
    carrier: 'UPS Ground',
    eta: '2026-11-25',
    trackingNumber: '1Z 999',
    items: [{ name: 'Skylark 2 tent', quantity: 1 }],
  };
  const called = { name: 'order', title: 'Order status', parameters: { orderNumber: 'LF-10234' } };
  const reply = toResultText(called, { ok: true, result });
  test.each([
    ['when will it arrive', '- Expected: November 25, 2026'],
    ['when?', '- Expected: November 25, 2026'],
    ['who delivers it', '- Carrier: UPS Ground'],
    ['when did i place it?', '- Placed on: November 18, 2026'],
    ['tracking number?', '- Tracking number: 1Z 999'],
    ['whats in it', '- Items: 1 × Skylark 2 tent'],
  ])('"%s" is answered from what was told', (asked, expected) => {
    expect(readFollowUp(asked, reply)).toBe(`**LF-10234** is **shipped**.\n\n${expected}`);
  });
  test('what it did not tell is said', () => {
    const { eta: _, ...processing } = { ...result, status: 'processing' };
    const unsent = toResultText(called, { ok: true, result: processing });
    expect(readFollowUp('when will it arrive', unsent)).toBe(
      '**LF-10234** is **processing**. What I looked up says no more about that.',
    );
  });
  test('"where is it" tells it again', () => {
    expect(readFollowUp('so where is it now', reply)).toBe(reply);
  });
  test.each(['how long does shipping to Canada take', 'can i cancel it', 'when do you open on saturday'])(
    '"%s" is asked of the pages',
    (asked) => {
      expect(readFollowUp(asked, reply)).toBeUndefined();
    },
  );
  test.each([
    'Orders from Saturday morning leave on Monday.\n\n- Canada: 5 days',
    '**Skylark 2**, weight: 1.84 kg',
    '**Skylark 2** is a tent.\n\nIt is light.',
    '',
  ])('what the pages say is no result of a tool: %j', (said) => {
    expect(readFollowUp('when will it arrive', said)).toBeUndefined();
  });
});

test.each([
  'wheres my order',
  'wheres my tent order??',
  'has my order shipped',
  'my order hasnt arrived yet',
  "what's up with my order",
])('"%s" asks for the number to look up', async (asked) => {
  const shop = await startShopAgent();
  expect(String((await shop.client.chat(asked)).body.chat.reply)).toMatch(/^I can look that up/);
  await shop.close();
});

describe('after a look-up that lacks a number', () => {
  const talk = async (...questions: string[]) => {
    const shop = await startShopAgent();
    const chat_id = randomUUID();
    let reply = '';
    for (const question of questions)
      reply = String((await shop.client.chat(question, { chat_id })).body.chat.reply);
    await shop.close();
    return reply;
  };
  const lookUp = /^I can look that up/;
  test.each(['my stove smells of gas', 'what is the warranty on packs', 'never mind', 'forget it'])(
    '"%s" is not taken for it',
    async (asked) => {
      expect(await talk('where is my order')).toMatch(lookUp);
      const reply = await talk('where is my order', asked);
      expect(reply).not.toMatch(lookUp);
      expect(reply).not.toBe('');
    },
  );
  test('the number that was asked for is', async () => {
    // The tool waits for its approval.
    expect(await talk('where is my order', 'LF-10234')).toBe('');
  });
  test.each([
    'i want to cancel order LF-10234',
    'i want to return order LF-10234',
    'LF-10234 arrived broken, what now',
  ])('"%s" is no question of where it is', async (asked) => {
    const reply = await talk(asked);
    expect(reply).not.toMatch(lookUp);
    expect(reply).not.toBe('');
  });
});

test.each(['Show me the delivery times and costs by region', 'shipping costs?'])(
  '"%s" is answered by all rows of the table',
  async (asked) => {
    const reply = await converse(asked);
    expect(reply).toContain('Canada, express');
    expect(reply).toContain('UK, Ireland, France');
    expect(reply).toContain('Contiguous US, standard');
  },
);
test('an item of a list of what is not so is told with its heading', async () => {
  expect(await converse('does the warranty cover campfire sparks')).toMatch(/does not cover/);
});

test('"show me your repair prices" is answered by more than one of them', async () => {
  expect((await converse('show me your repair prices')).match(/\$\d+/g)?.length).toBeGreaterThan(4);
});
