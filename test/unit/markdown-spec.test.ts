/** How much of CommonMark and GFM the renderer gives as the specifications say. */
import { expect, test } from 'vitest';
import { commonMark, type Example, gfmExamples, renderOnce } from '../support/markdown.ts';

/**
 * What differs on purpose is evened out on both sides: a link's address and attributes (the page's own addresses are
 * inert here), an image (a link with its text here), and white space between blocks.
 */
function even(html: string): string {
  return html
    .replace(/<img [^>]*alt="([^"]*)"[^>]*\/?>/g, '<a>$1</a>')
    .replace(/<a\b[^>]*>/g, '<a>')
    .replace(/(<a>[^<]*?) \([^()<]*\)<\/a>/g, '$1</a>')
    .replace(/ ?\/>/g, '>')
    .replace(/ (?:align|class)="(?:align-)?(left|center|right)"/g, ' align="$1"')
    .replace(
      / (?:class="(?:task|language-[^"]*)"|scope="col"|disabled=""|aria-label="(?:Done|Not done)")/g,
      '',
    )
    .replace(/<div class="scroll">|<\/div>| data-language="[^"]*"/g, '')
    .replace(/<br>\n?/g, '<br>')
    .replace(/<input(?: checked="")?(?: type="checkbox")?(?: checked="")?>/g, '<input>')
    .replace(/\s*\n\s*/g, '\n')
    .replace(/\s*(<\/?(?:p|h\d|ul|ol|li|blockquote|hr|pre|table|thead|tbody|tr|th|td)\b[^>]*>)\s*/g, '$1')
    .trim();
}

/** Raw HTML is shown as text here, which is no failing. */
function hasRawHtml({ html, markdown }: Example): boolean {
  return (
    /<(?!\/?(?:p|h\d|ul|ol|li|blockquote|hr|pre|code|em|strong|a|img|br|table|thead|tbody|tr|th|td|del|input)\b)[a-z!?/]/i.test(
      html,
    ) ||
    /<\/?[a-z][^>\s]*\b[^>]*>|<!|<\?/i.test(
      markdown.replace(/<[a-z][a-z0-9+.-]+:[^\s<>]*>|<[^\s<>@]+@[^\s<>@]+>/gi, ''),
    )
  );
}

function share(examples: Example[]): { matching: number; counted: number; failing: string[] } {
  const counted = examples.filter((example) => !hasRawHtml(example));
  const failing = counted.filter(({ markdown, html }) => even(renderOnce(markdown)) !== even(html));
  return {
    matching: counted.length - failing.length,
    counted: counted.length,
    failing: failing.map(({ name }) => name),
  };
}

test.each([
  { name: 'CommonMark 0.31.2', examples: commonMark, least: 0.97 },
  { name: 'GFM 0.29', examples: gfmExamples, least: 0.97 },
])('$name examples render as the specification says', ({ name, examples, least }) => {
  const { matching, counted, failing } = share(examples);
  const percent = ((100 * matching) / counted).toFixed(1);
  console.log(`${name}: ${matching} of ${counted} examples without raw HTML match (${percent} %)`);
  if (process.env.SHOW_FAILING)
    for (const example of examples.filter((one) => failing.includes(one.name)))
      console.log(
        example.name,
        JSON.stringify(example.markdown),
        '\n ',
        JSON.stringify(even(example.html)),
        '\n ',
        JSON.stringify(even(renderOnce(example.markdown))),
      );
  expect(matching / counted).toBeGreaterThanOrEqual(least);
});
