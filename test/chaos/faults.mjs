/** What goes wrong, by the numbers of the fault table: chosen by a seed, so that a visitor's schedule can be had again. */

/** mulberry32: the same numbers for the same seed. */
export function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const plain = { mayEnd: ['turn-completed'] };
const refused = { mayEnd: ['turn-failed'] };

/**
 * Each with the ends that it may have where nothing else is wrong. `refuse`: how the agent answers instead. `midway`: what
 * it does to those who listen once half of its words are said; `atEnd`: in place of its final event.
 */
export const agentFaults = {
  'nothing wrong': plain,
  'F01 500 before the first byte': { ...refused, refuse: (response) => response.writeHead(500).end('{}') },
  'F02 an error in mid-answer': {
    mayEnd: ['turn-failed'],
    midway: (response) => response.end('event: error\ndata: {"error":{"message":"No.","code":"no"}}\n\n'),
    isOver: true,
  },
  'F03 reset in mid-answer': { ...plain, midway: (response) => response.socket?.resetAndDestroy() },
  'F05 broken JSON': { ...plain, midway: (response) => response.write('event: delta\ndata: {"text": "\n\n') },
  'F06 single bytes': { ...plain, bytewise: true },
  'F07 a line of 10 MB': {
    mayEnd: ['turn-failed', 'turn-completed'],
    midway: (response) => response.write(`data: ${'x'.repeat(10_000_000)}`),
  },
  'F25 429 with a time': {
    ...refused,
    refuse: (response) => response.writeHead(429, { 'retry-after': '7' }).end('{}'),
  },
  'F25 429 without': { ...refused, refuse: (response) => response.writeHead(429).end('{}') },
  'F26 401': { ...refused, refuse: (response) => response.writeHead(401).end('{}') },
  'F34 a page with status 200': {
    ...refused,
    refuse: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>'),
  },
  'F35 no final event': { ...plain, atEnd: (response) => response.end() },
  'F35 reset in place of the final event': {
    ...plain,
    atEnd: (response) => response.socket?.resetAndDestroy(),
  },
};

/** What a visitor does beside asking. */
export const visitorFaults = [
  'waits',
  'F04 leaves and comes back',
  'F09 stops',
  'F20 asks five times at once',
  'F21 asks something else under the same name',
  'F33 deletes in mid-answer',
];

/** The question carries its fault, so that the agent need not be told of it. */
export const toQuestion = (id, fault) => `q${id}.${Object.keys(agentFaults).indexOf(fault)}`;
export const toFault = (question) =>
  agentFaults[Object.keys(agentFaults)[Number(question.split('.')[1] ?? 0)]];
