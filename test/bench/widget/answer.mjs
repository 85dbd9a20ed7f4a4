/** Markdown answers of a wanted size, the same in each run, cut into deltas as small as an agent's. */
export const lastWord = 'ENDOFANSWER';

const words =
  'the order ships from our warehouse and you can track it with a link in your account page while the return policy covers thirty days for most items except custom prints please contact support when delivery takes longer than expected because weather or customs may delay parcels and refunds appear within five business days on the original card unless the bank needs more time to settle payment details'.split(
    ' ',
  );

function createRandom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Headings, emphasis, code, links, lists, a list within a list, tables and quotes, in turn. */
export function createAnswer(bytes) {
  const random = createRandom(7);
  const some = (count) =>
    Array.from({ length: count }, () => words[Math.floor(random() * words.length)]).join(' ');
  const title = (count) => some(count).replace(/^./, (letter) => letter.toUpperCase());
  const sentence = (count) => `${title(count)}.`;
  const rich = () =>
    `${sentence(9)} Use **${some(2)}** or *${some(2)}*, then call \`${some(1)}_${some(1)}()\` and see [${some(3)}](https://example.com/docs/${some(1)}?id=${Math.floor(random() * 999)}). ${sentence(14)}`;
  const times = (count, make) => Array.from({ length: count }, make).join('\n');
  const blocks = [
    (part) => `## ${part}. ${title(4)}\n\n${rich()}\n\n${sentence(22)} ${sentence(11)}\n\n`,
    () => `${times(5, () => `- **${some(2)}**: ${some(9)} \`${some(1)}\``)}\n\n`,
    () =>
      `| Plan | Price | Limit | Notes |\n| --- | ---: | :---: | --- |\n${times(5, () => `| ${some(1)} | $${Math.floor(random() * 90)}.00 | ${Math.floor(random() * 500)} | ${some(5)} |`)}\n\n`,
    () =>
      `### ${title(5)}\n\n${sentence(16)}\n\n1. ${some(8)}\n2. ${some(7)}\n   - ${some(5)}\n   - ${some(6)}\n3. ${some(9)}\n\n`,
    () =>
      `\`\`\`js\n// ${some(6)}\nexport async function ${some(1)}Order(id) {\n  const res = await fetch(\`/api/orders/\${id}\`, { headers: { accept: "application/json" } });\n  if (!res.ok) throw new Error("${some(4)}");\n  return res.json();\n}\n\`\`\`\n\n`,
    () => `> ${sentence(14)}\n\n${rich()} ${sentence(18)}\n\n`,
  ];
  let answer = `# ${title(5)}\n\n${rich()}\n\n`;
  for (let index = 0; answer.length < bytes - 40; index += 1)
    answer += blocks[index % blocks.length](1 + Math.floor(index / blocks.length));
  return `${answer}Thanks for reading ${lastWord}\n`;
}

/** Deltas of 2 to 8 characters, 5 on average. */
export function toDeltas(answer) {
  const random = createRandom(11);
  const deltas = [];
  for (let at = 0; at < answer.length; at += deltas.at(-1).length)
    deltas.push(answer.slice(at, at + 2 + Math.floor(random() * 7)));
  return deltas;
}

/** What a faithful rendering holds, counted in the source. */
export function countElements(answer) {
  const prose = answer.replace(/```[\s\S]*?```/g, '');
  const count = (text, pattern) => text.match(pattern)?.length ?? 0;
  return {
    headings: count(prose, /^#{1,6} /gm),
    items: count(prose, /^\s*(?:[-*]|\d+\.) /gm),
    tables: count(prose, /^\| --- /gm),
    codes: count(answer, /^```js/gm),
    links: count(prose, /\]\(https/g),
  };
}
