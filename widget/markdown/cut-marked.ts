/**
 * For the build: leaves of marked's module what its lexer needs. An instance that it makes at load keeps all the rest
 * alive, and the dialects that nobody asks for come along: a fifth of what an opened chat weighs.
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
  /(?:outputLinkReplace|listReplaceNesting|pedanticHrefTitle|escape\w+|percentDecode|spaceLine|notSpaceStart|endingNewline):\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+\/\w*,/g;
/** `,breaks:x,pedantic:y}` at the end of a table of dialects. */
const dialects = /,(?:breaks:(\w+),)?pedantic:(\w+)\}/g;
/** Whether the browser knows `(?<=…)`: all that the styles are for do. */
const looksBehind = /\(\(\w+=""\)=>\{try\{.{0,99}?\}catch\{.{0,20}?\}\}\)\(\)/;
/** Of the lexer's class, for those who want no instance. */
const shortcuts =
  /static get rules\(\)\{return\{[^}]*\}\}static lex\(\w+,\w+\)\{[^}]*\}static lexInline\(\w+,\w+\)\{[^}]*\}/;
const instance = /var \w+=new \w+;function \w+\(\w+,\w+\)\{return \w+\.parse\(/;

/**
 * @param code marked's module, minified as it is published
 * @returns a module with `Lexer` and `Tokenizer`
 * @throws when marked has another shape than this was written for
 */
export function cutMarked(code: string): string {
  const from = code.search(instance);
  const lexer = /[{,](\w+) as Lexer[,}]/.exec(code)?.[1];
  const tokenizer = /[{,](\w+) as Tokenizer[,}]/.exec(code)?.[1];
  if (from < 0 || !lexer || !tokenizer || !looksBehind.test(code))
    throw new Error('marked has another shape now: see widget/markdown/cut-marked.ts');
  let kept = code.slice(0, from).replace(unread, '').replace(looksBehind, 'true');
  kept = kept.replace(shortcuts, '').replace(/this\.options=(\w+)\|\|\w+/g, 'this.options=$1');
  for (const [name, value] of Object.entries(options)) kept = kept.replaceAll(`this.options.${name}`, value);
  for (const rules of [...kept.matchAll(dialects)].flatMap(([, ...names]) => names))
    if (rules) kept = withoutTable(kept, rules);
  kept = shortenNames(withoutUnused(kept.replace(dialects, '}')));
  return `${kept}export { ${lexer} as Lexer, ${tokenizer} as Tokenizer };`;
}

/** Drops `,name={…}` from a list of variables. */
function withoutTable(code: string, name: string): string {
  const from = code.indexOf(`,${name}={`);
  let depth = 0;
  for (let at = code.indexOf('{', from); from >= 0 && at < code.length; at += 1) {
    depth += { '{': 1, '}': -1 }[code[at] as string] ?? 0;
    if (depth === 0) return code.slice(0, from) + code.slice(at + 1);
  }
  return code;
}

/** Drops the expressions that are put together and that nobody reads any more. */
function withoutUnused(code: string): string {
  const built = /,([\w$]+)=\w+\((?:(?!\.getRegex\(\))[\s\S])*\.getRegex\(\)(?=[,;])/g;
  return code.replace(built, (whole, name: string) => {
    const uses = code.split(new RegExp(`(?<![\\w$&])${name.replaceAll('$', '\\$')}(?![\\w$])`)).length - 1;
    return uses > 1 ? whole : '';
  });
}

/** Gives the lexer's expressions, which nothing outside reads, names of two letters: theirs weigh half a kB. */
function shortenNames(code: string): string {
  const defined = code.matchAll(/[{,]([a-z]+[A-Z]\w*):(?=\/|\w+=>|\w+\(\w+=>|\w+[,}])/g);
  const names = [...new Set([...defined].map(([, name]) => name))];
  return code.replace(/(?<=[.{,])[a-z]+[A-Z]\w*/g, (name) =>
    names.includes(name) ? `$${names.indexOf(name).toString(36)}` : name,
  );
}
