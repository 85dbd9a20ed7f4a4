/** What is asked of a mail, and what is left out. */
import { expect, test } from 'vitest';
import { withSources } from '../../../demo/agent/email/clerk.ts';
import { htmlToText } from '../../../demo/agent/email/htmltext.ts';
import { toMessage, toQuestion } from '../../../demo/agent/email/quoting.ts';

const asked = 'How long does shipping to Canada take?';

test.each([
  ['alone', asked],
  ['after a greeting', `Hi,\n\n${asked}`, `Hi,\n\n${asked}`],
  ['a closing', `${asked}\n\nBest regards,\nAda`],
  ['another closing', `${asked}\nKind regards\nAda Lovelace\nAnalytical Engines Ltd\n+44 20 1234`],
  ['thanks', `${asked}\n\nThanks!\nAda`],
  ['a closing in German', `${asked}\n\nMit freundlichen Grüßen\nAda`],
  ['a signature', `${asked}\n-- \nAda`],
  ['a telephone', `${asked}\n\nSent from my iPhone`],
  ['an answer above', `${asked}\n\nOn Monday, Juniper wrote:\n> When do herons nest?`],
  [
    'an introduction on two lines',
    `${asked}\n\nOn Monday, 3 March 2031 at 10:00,\nJuniper <j@a> wrote:\n> x`,
  ],
  ['one in German', `${asked}\n\nAm 3. März 2031 schrieb Juniper:\n> x`],
  ['one in French', `${asked}\n\nLe 3 mars 2031, Juniper a écrit :\n\n> x`],
  ['Outlook', `${asked}\n\nFrom: Juniper\nSent: Monday\nTo: Ada\nSubject: x\n\nAsk me.`],
  ['Outlook in German', `${asked}\n\nVon: Juniper\nGesendet: Montag\nAn: Ada\n\nAsk me.`],
  ['an original message', `${asked}\n-----Original Message-----\nAsk me.`],
  ['an answer below', `> When do herons nest?\n${asked}`],
  [
    'where it goes from',
    `We are moving.\nFrom: Berlin\nTo: Canada\n${asked}`,
    `We are moving.\nFrom: Berlin\nTo: Canada\n${asked}`,
  ],
  ['a list', `I have two questions:\n- ${asked}`, `I have two questions:\n- ${asked}`],
  ['thanks before', `Hi,\nthanks\n${asked}`, `Hi,\nthanks\n${asked}`],
  [
    'thanks, and then what is wanted',
    'Hi,\n\nThank you!\n\nNow please send me the return label for order 1234.',
    'Hi,\n\nThank you!\n\nNow please send me the return label for order 1234.',
  ],
  [
    'what the site says',
    'Hello,\nOn your shipping page I read this:\n> 5 days.\nDoes that hold for Quebec?',
    'Hello,\nOn your shipping page I read this:\nDoes that hold for Quebec?',
  ],
  [
    'a contact form',
    `From: Ada\nDate: 4 May\nTopic: Shipping\n${asked}`,
    `From: Ada\nDate: 4 May\nTopic: Shipping\n${asked}`,
  ],
  [
    'a mail that is passed on',
    `-----Original Message-----\nFrom: Ada\nSent: Monday\nTo: Ben\n${asked}`,
    `-----Original Message-----\nFrom: Ada\nSent: Monday\nTo: Ben\n${asked}`,
  ],
  [
    'a parcel',
    `${asked}\nFrom: Toronto\nTo: Boston\nWeight: 3 kg`,
    `${asked}\nFrom: Toronto\nTo: Boston\nWeight: 3 kg`,
  ],
  ['a long header', `${asked}\n\nFrom: Juniper\nTo: Ada\nCc: Ben\nSubject: x\nDate: Monday\n\nAsk me.`],
  [
    'thanks before a question without an end',
    'Hi there\nThank you!\nhow long does shipping to canada take',
    'Hi there\nThank you!\nhow long does shipping to canada take',
  ],
  [
    'thanks before what it is about',
    'I want to cancel two orders\nThanks\nOrder 1001\nOrder 1002',
    'I want to cancel two orders\nThanks\nOrder 1001\nOrder 1002',
  ],
  [
    'a delivery, and its date',
    `I need a quote\nFrom: Vancouver\nTo: Toronto\nDate: 12 May\n${asked}`,
    `I need a quote\nFrom: Vancouver\nTo: Toronto\nDate: 12 May\n${asked}`,
  ],
  [
    'an answer below what is introduced',
    `Hi,\n\nOn Monday, Juniper wrote:\n> To where?\n\nCanada. How long does it take?`,
    'Hi,\n\n\nCanada. How long does it take?',
  ],
  [
    'an answer below what is introduced, after thanks',
    'Thank you very much for your answer.\n\nOn Monday, Juniper wrote:\n> x\n\nWhat does it cost?',
    'Thank you very much for your answer.\n\n\nWhat does it cost?',
  ],
  [
    'thanks, and a matter in few words',
    'Hello Juniper\nMany thanks!\nStill waiting for my refund\nAda',
    'Hello Juniper\nMany thanks!\nStill waiting for my refund\nAda',
  ],
  [
    'a form of one line each',
    `Hi\nFrom: Hamburg\nDate: 12 May\nSubject: tent size L\n${asked}`,
    `Hi\nFrom: Hamburg\nDate: 12 May\nSubject: tent size L\n${asked}`,
  ],
  [
    'Yahoo, which marks nothing',
    `${asked}\n\n    On Friday, March 7, 2031 at 03:00:00 PM GMT+1, Juniper <j@a.example> wrote:  \n \n Herons nest in April. [1]\n\n[1] Herons`,
  ],
  [
    'Yahoo on two lines',
    `${asked}\n\nOn Friday, March 7, 2031 at 03:00:00 PM GMT+1, Juniper\n<j@a.example> wrote:\n\nHerons nest in April.`,
  ],
  [
    'what somebody else wrote, before the question',
    `Hello,\nOn March 7, 2031 ann@b.example wrote:\nIt takes a week.\n${asked}`,
    `Hello,\nOn March 7, 2031 ann@b.example wrote:\nIt takes a week.\n${asked}`,
  ],
  [
    'an address and a day without a year',
    `${asked}\n\nOn Friday ann@b.example wrote:\nIt takes a week.`,
    `${asked}\n\nOn Friday ann@b.example wrote:\nIt takes a week.`,
  ],
  ['one in Polish', `${asked}\n\npt., 7 mar 2031 o 15:00 Juniper <j@a.example> napisa\u0142(a):\n\n> x`],
  ['one in Norwegian', `${asked}\n\nfre. 7. mars 2031 kl. 15:00 skrev Juniper <j@a.example>:\n\n> x`],
  ['one in Norwegian without an address', `${asked}\n\n7. mars 2031 skrev Juniper:\n> x`],
  [
    'one in Russian',
    `${asked}\n\n\u043f\u0442, 7 \u043c\u0430\u0440. 2031 \u0433. \u0432 15:00, Juniper <j@a.example>:\n\n> x`,
  ],
  ['one in Finnish', `${asked}\n\npe 7. maalisk. 2031 klo 15.00 Juniper (j@a.example) kirjoitti:\n\n> x`],
  ['one in Japanese', `${asked}\n\n2031\u5e743\u67087\u65e5(\u91d1) 15:00 Juniper <j@a.example>:\n\n> x`],
  ['one by ISO', `${asked}\n\n2031-03-07 15:00 GMT+01:00 Juniper\n<j@a.example>:\n\n> x`],
  [
    'a postscript',
    'I would like to know how long returns take.\n\nBest regards\nAnn\n\nPS and the weight of the Ridge tent',
    'I would like to know how long returns take.\n\nBest regards\nAnn\n\nPS and the weight of the Ridge tent',
  ],
  [
    'thanks, and another matter',
    'I would like to know how heavy it is.\n\nThank you\n\nAlso tell me the opening hours',
    'I would like to know how heavy it is.\n\nThank you\n\nAlso tell me the opening hours',
  ],
  ['a firm', `${asked}\n\nBest regards\nAnn Lee\nHead of sales at ACME Ltd`],
  [
    'a mail that is passed on, with a word',
    `Can you answer this?\n\n---------- Forwarded message ---------\nFrom: Bob <b@c.example>\nDate: 7 March 2031\nSubject: x\nTo: Ada\n\n${asked}`,
    `Can you answer this?\n\n---------- Forwarded message ---------\nFrom: Bob <b@c.example>\nDate: 7 March 2031\nSubject: x\nTo: Ada\n\n${asked}`,
  ],
  ['nothing else', 'Best regards,\nAda', ''],
  ['nothing at all', 'Sent from my iPhone', ''],
  ['who signs alone', '-- \nAda', ''],
  ['a question of few words', 'Is shipping free?\n\nThanks,\nAda', 'Is shipping free?'],
  [
    'a telephone after few words',
    'What do cups cost?\n\nBest,\nAda Lovelace\n+44 20 1234567',
    'What do cups cost?',
  ],
  [
    'an order of letters and digits',
    `${asked}\n\nThanks,\nAda\nOrder LF-10234`,
    `${asked}\n\nThanks,\nAda\nOrder LF-10234`,
  ],
  ['the code alone', `${asked}\n\nThanks,\nAda\nLF-10234`, `${asked}\n\nThanks,\nAda\nLF-10234`],
  ...[
    'Thank you.\nRefund my tent',
    'Thanks Ada\nCancel my order',
    'Merci\nAnnulez la commande',
    'Grazie\nOrdine LF-10234',
  ].map((text) => [text, text, text]),
  [
    'a post code with its country',
    `${asked}\n\nMit freundlichen Gr\u00fc\u00dfen\nAda Lovelace\nHauptstra\u00dfe 5\nD-80331 M\u00fcnchen\nVAT DE-123456789`,
  ],
  ['an address', `${asked}\n\nKind regards,\nAda Lovelace\n12 St James Square\nLondon SW1Y 4JH`],
  ['a firm that ends in a dot', `${asked}\n\nKind regards,\nAda Lovelace\nAnalytical Engines Ltd.`],
  ...[
    'All the best,\nAda',
    'Thank you very much,\nAda Lovelace',
    'Thanks a lot\nAda',
    'Thank you in advance',
    'Thanks, Ada',
    'Regards, Ada Lovelace',
    '\u2014 Ada',
    'Freundliche Gr\u00fc\u00dfe\nAda',
    'Mit freundlichen Gr\u00fcssen\nAda',
    'Vielen Dank\nAda',
    'Bien cordialement,\nAda',
    'Merci !\nAda',
    'Atentamente,\nAda',
    'Distinti saluti\nAda',
    'Groeten,\nAda',
    'Med v\u00e4nlig h\u00e4lsning\nAda',
  ].map((end) => [end, `${asked}\n\n${end}`]),
  ...[
    'Thanks to you it works, but how?',
    'Best tents under 300 grams',
    'Regards to Ada, and one more thing',
  ].map((line) => [line, `${asked}\n${line}`, `${asked}\n${line}`]),
  [
    'a mail that is passed on, with many words',
    `Could you please have a look at this question of a friend of mine?\n\n---------- Forwarded message ---------\nFrom: Bob <b@c.example>\nDate: 7 March 2031\nSubject: x\nTo: Ada\n\n${asked}`,
    `Could you please have a look at this question of a friend of mine?\n\n---------- Forwarded message ---------\nFrom: Bob <b@c.example>\nDate: 7 March 2031\nSubject: x\nTo: Ada\n\n${asked}`,
  ],
])('%s', (_, text, expected = asked) => {
  expect(toQuestion(text)).toBe(expected);
  expect(toQuestion(text.replaceAll('\n', '\r\n'))).toBe(expected);
});

test.each([
  ['empty lines', '\n'],
  ['short lines', 'a\n'],
  ['closings', 'vg\n'],
  ['senders', 'From: a\n'],
  ['introductions', 'On 3 May wrote:\n'],
  ['marks', '>\n'],
])('a mail of %s is looked at line by line, and not each beside all others', (_, line) => {
  // Which took a minute.
  expect(toQuestion(`Hello\n${line.repeat(100_000 / line.length)}?`)).toMatch(/^Hello/);
});

test('what an HTML mail repeats is marked as in one of plain text', () => {
  const html = `<p>${asked}</p><div>On Monday, Juniper wrote:<blockquote><p>One</p><p>Two</p></blockquote></div><p>After</p>`;
  expect(htmlToText(html)).toBe(`${asked}\nOn Monday, Juniper wrote:\n> One\n> Two\nAfter`);
  // Below it somebody wrote on.
  expect(toQuestion(htmlToText(html))).toBe(`${asked}\nAfter`);
});

test.each([
  ['Opening hours please', 'Hello', 'Opening hours please'],
  ['Versandkosten nach Kanada', 'Anfrage', 'Versandkosten nach Kanada'],
  ['Yes please', 'Hi', 'Yes please'],
  [
    '\u30ab\u30ca\u30c0\u3078\u306e\u9001\u6599\u306f\u3044\u304f\u3089\u3067\u3059\u304b\u3002',
    '\u304a\u554f\u3044\u5408\u308f\u305b',
    '\u30ab\u30ca\u30c0\u3078\u306e\u9001\u6599\u306f\u3044\u304f\u3089\u3067\u3059\u304b\u3002',
  ],
  ['See subject.', asked, asked],
  ['Sent from my iPhone', asked, asked],
  ['', asked, asked],
  ['Thank you!\nAda', `Re: ${asked}`, 'Thank you!'],
  ['Thank you!\nAda', `RE : ${asked}`, 'Thank you!'],
  ['Thanks!', '', 'Thanks!'],
  ['Hi,', asked, asked],
  ['Ada', asked, asked],
  ['.', asked, asked],
  ['Please advise.\n\nThanks,\nAda', asked, asked],
  ['Hello,\n\nBest regards,\nAda Lovelace', asked, asked],
  ['Hi\n\nThanks\nAda', asked, asked],
  ['Opening Hours', 'Question', 'Opening Hours'],
  ['Hello, what does a tent cost', asked, 'Hello, what does a tent cost'],
  ['Hello,\nplease see subject.', asked, asked],
  ['(see subject)', asked, asked],
  ['Hi Juniper,\n\nsee subject\n\nThanks, Ada', asked, asked],
  [`See subject. ${asked}`, 'Damaged pole', `Damaged pole\n\n${asked}`],
  [
    'Please see the subject line, and also tell me what a tent costs',
    'Damaged pole',
    'Damaged pole\n\nand also tell me what a tent costs',
  ],
])('of %j under %j is asked %j', (text, subject, expected) => {
  expect(toMessage(text, subject, false)).toBe(expected);
});

test('the subject of an answer is another’s', () => {
  expect(toMessage('Thank you!\nAda', asked, true)).toBe('Thank you!');
});

test('with an answer go the sources that it cites, and no others', () => {
  const toSource = (citation_number: number) =>
    ({
      citation_number,
      title: `Page ${citation_number}`,
      url: `https://site.example/${citation_number}`,
    }) as never;
  const sources = [1, 2, 12].map(toSource);
  expect(withSources({ reply: 'In April [2].', sources })).toBe(
    'In April [2].\n\n[2] Page 2: https://site.example/2',
  );
  expect(withSources({ reply: 'In April.', sources })).toBe('In April.');
});
