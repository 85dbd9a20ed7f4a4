/**
 * For the build and the tests: leaves of marked's module what its lexer needs. An instance that it makes at load keeps
 * all the rest alive, and the dialects that nobody asks for come along: a fifth of what an opened chat weighs. Raw HTML
 * is text here, so no block of it is looked for, and a tag changes nothing of how what follows is read.
 */

/** Options that the lexer asks for, each with the one value that it has here. */
const options = {
  gfm: 'true',
  pedantic: 'false',
  breaks: 'false',
  silent: 'false',
  extensions: 'null',
  hooks: 'null',
};
/** Expressions for writing HTML. */
const unread =
  /(?:outputLinkReplace|listReplaceNesting|pedanticHrefTitle|escape\w+|percentDecode|spaceLine|notSpaceStart|endingNewline|(?:start|end)(?:A|PreScript)Tag):\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+\/\w*,/g;
/** `,breaks:x,pedantic:y}` at the end of a table of dialects. */
const dialects = /,(?:breaks:(\w+),)?pedantic:(\w+)\}/g;
/** Whether the browser knows `(?<=…)`: all that the styles are for do. */
const looksBehind = /\(\(\w+=""\)=>\{try\{.{0,99}?\}catch\{.{0,20}?\}\}\)\(\)/;
/** Of the lexer's class, for those who want no instance. */
const shortcuts =
  /static get rules\(\)\{return\{[^}]*\}\}static lex\(\w+,\w+\)\{[^}]*\}static lexInline\(\w+,\w+\)\{[^}]*\}/;
/** What looks for blocks of raw HTML, and what stays of it. */
const blocksOfHtml: readonly (readonly [RegExp, string])[] = [
  // Where it would end a paragraph or a table: never.
  [/\w+="address\|[^"]*",(\w+)=(?:(?!\.getRegex\(\))[\s\S])*\.getRegex\(\)/, '$1=/(?!)/'],
  [/,htmlBeginRegex:\w+\(\w+=>new RegExp\(`(?:\\.|[^`\\])*`,"i"\)\)/, ''],
  [
    /,(\w+)=this\.rules\.other\.htmlBeginRegex\(\w\)([\s\S]*?)\|\|\1\.test\([\w$]\)([\s\S]*?)\|\|\1\.test\([\w$]\)/,
    '$2$3',
  ],
  [/,\w+=\w+\("\^ \{0,3\}\(\?:<\(script(?:(?!\.getRegex\(\))[\s\S])*\.getRegex\(\)/, ''],
  [/(?<=,)html:\w+,(?=lheading)/, ''],
  [/\bhtml\(\w\)\{let \w=this\.rules\.block\.html[\s\S]*?\}(?=def\()/, ''],
  [/if\(\w=this\.tokenizer\.html\(\w\)\)\{[^}]*\}/, ''],
  [/return!this\.lexer\.state\.inLink&&this[\s\S]*?,(?=\{type:"html")/, 'return'],
  [/,inLink:this\.lexer\.state\.inLink,inRawBlock:this\.lexer\.state\.inRawBlock,block:!1/, ''],
  [/,\w=\w\.state\.inRawBlock(?=;)/, ''],
  [/\{\w\.state\.inRawBlock=\w;return\}/, 'return;'],
  [
    /let (\w)=this\.lexer\.state\.inRawBlock;(return\{type:"text",raw:\w\[0\],text:)\1\?\w\[0\]:(\w+\(\w\[0\]\)),escaped:\1/,
    '$2$3',
  ],
  [/inRawBlock:!1,/, ''],
  [/this\.state\.inRawBlock=!1,/, ''],
  [/&&!\w\.escaped/g, ''],
  [/,escaped:!1/g, ''],
];
/** Said of a token, and read by nobody; what it would be an error to meet, which has no words here. */
const unsaid: readonly (readonly [RegExp, string])[] = [
  [/,codeBlockStyle:"indented"/, ''],
  [/,autolink:!0/g, ''],
  [
    /let (\w)="Infinite loop on byte: "\+\w;if\(this\.options\.silent\)console\.error\(\1\);else throw new Error\(\1\)/,
    'throw new Error',
  ],
  [/this\.tokenizer\.paragraph===\w+\.prototype\.paragraph/, 'true'],
];
const cuts = [...blocksOfHtml, ...unsaid];
/** Whether somebody has put a tokenizer of theirs in its place. */
const ownTokenizer =
  /\|\|this\.tokenizer\.emStrong!==\w+\.prototype\.emStrong\|\|this\.tokenizer\.del!==\w+\.prototype\.del\?/;
/** What the lexer and its tokenizer call of each other, and nobody else does. */
const internal =
  /(?<=[.,{};])(?:linkParenPossible|linkEmitted|inRawBlock|inLink|inlineQueue|blockTokens|lastToken|emStrong|inlineText|infiniteLoopError|linkInText|getRegex|_backpedal|tokenizer|lexer|rules|inline|block)\b/g;
const instance = /var \w+=new \w+;function \w+\(\w+,\w+\)\{return \w+\.parse\(/;

/**
 * @param code marked's module, minified as it is published
 * @returns a module with `Lexer`
 * @throws when marked has another shape than this was written for
 */
export function cutMarked(code: string): string {
  const from = code.search(instance);
  const lexer = /[{,](\w+) as Lexer[,}]/.exec(code)?.[1];
  const isKnown = [looksBehind, ...cuts.map(([pattern]) => pattern)].every((one) => one.test(code));
  if (from < 0 || !lexer || !isKnown)
    throw new Error('marked has another shape now: see widget/build/cut-marked.ts');
  let kept = code.slice(0, from).replace(looksBehind, 'true');
  for (const [pattern, rest] of cuts) kept = kept.replace(pattern, rest);
  kept = kept.replace(unread, '');
  kept = kept.replace(shortcuts, '').replace(/this\.options=(\w+)\|\|\w+/g, 'this.options=$1');
  for (const [name, value] of Object.entries(options)) kept = kept.replaceAll(`this.options.${name}`, value);
  for (const rules of [...kept.matchAll(dialects)].flatMap(([, ...names]) => names))
    if (rules) kept = kept.replace(readTable(kept, rules), '');
  kept = kept.replace(dialects, '}').replace(ownTokenizer, '?');
  // No bound is below zero here, and a character is only compared: the shorter word does the same.
  kept = kept.replaceAll('.substring(', '.slice(').replace(/\.charAt\(([^()]+)\)/g, '[$1]');
  kept = shortenNames(withoutUnused(withoutOverridden(kept)));
  return `${kept}export { ${lexer} as Lexer };`;
}

/** `,name={…}` in a list of variables; empty where there is none. */
function readTable(code: string, name: string): string {
  const from = code.indexOf(`,${name}={`);
  let depth = 0;
  for (let at = code.indexOf('{', from); from >= 0 && at < code.length; at += 1) {
    depth += { '{': 1, '}': -1 }[code[at] as string] ?? 0;
    if (depth === 0) return code.slice(from, at + 1);
  }
  return '';
}

/** Drops of a dialect what the one that extends it has another way: `a={x:1,y},b={...a,x:2}` → `a={y},b={...a,x:2}`. */
function withoutOverridden(code: string): string {
  let kept = code;
  for (const [, extending, base] of code.matchAll(/[, ](\w+)=\{\.\.\.(\w+),/g)) {
    const [own, inherited] = [extending, base].map((name) => readTable(kept, name as string));
    const names = [...(own ?? '').matchAll(/[,{](\w+):/g)].map(([, name]) => name as string);
    const rest = names.reduce(
      (all, name) => all.replace(new RegExp(`(?<=[{,])${name}:\\w+,`), ''),
      inherited ?? '',
    );
    kept = kept.replace(inherited ?? '', () => rest);
  }
  return kept;
}

/** Drops the expressions that are put together and that nobody reads any more. */
function withoutUnused(code: string): string {
  const built =
    /,([\w$]+)=\w+\((?:(?:(?!\.getRegex\(\)|,\w+=\w+\()[\s\S])*\.getRegex\(\)|\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+\/\))(?=[,;])/g;
  return code.replace(built, (whole, name: string) => {
    const uses = code.split(new RegExp(`(?<![\\w$&])${name.replaceAll('$', '\\$')}(?![\\w$])`)).length - 1;
    return uses > 1 ? whole : '';
  });
}

/** Gives the lexer's expressions and its own methods, which nothing outside reads, names of two letters: theirs weigh more than half a kB. */
function shortenNames(code: string): string {
  const defined = code.matchAll(/[{,]([a-z]+[A-Z]\w*):(?=\/|\w+=>|\w+\(\w+=>|\w+[,}])/g);
  const names = [...new Set([...defined, ...code.matchAll(internal)].map(([name, known]) => known ?? name))];
  return code.replace(/(?<=[.{},;])_?[a-z]+[A-Za-z]*\b/g, (name) =>
    names.includes(name) ? `$${names.indexOf(name).toString(36)}` : name,
  );
}
