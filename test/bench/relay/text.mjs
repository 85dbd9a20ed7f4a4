/** Text of a delta, the same in each run; some of it takes several bytes or an escape in JSON. Never holds `~`. */
const plain = ['the ', 'relay ', 'keeps ', 'order ', 'and ', 'bytes ', 'intact, ', 'always '];
const hard = [...plain, 'café ', '漢字 ', '🙂 ', 'quote" ', 'back\\slash ', 'line\n', 'tab\t', 'end. '];
const leastChars = 12;

export function toDeltaText(index) {
  const words = index % 8 === 7 ? hard : plain;
  let random = (2654435761 + index * 40503) >>> 0;
  let text = '';
  while (text.length < leastChars) {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    text += words[(random >>> 16) % words.length];
  }
  return text;
}
