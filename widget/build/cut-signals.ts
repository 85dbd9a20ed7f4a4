/**
 * For the build and the tests: leaves out of @preact/signals what binds a signal that stands in JSX itself, as a child
 * or an attribute. Here a component reads `.value` and is drawn anew with it, so nothing of that is ever used.
 */

const bindings: readonly (readonly [RegExp, string])[] = [
  // An old library's `bind` forgets what a call brings along.
  [
    /(\w+)\[(\w+)\]=(\w+)\.bind\(null,\1\[\2\]\|\|\(\(\)=>\{\}\)\)/,
    'const o=$1[$2]||(()=>{});$1[$2]=(...a)=>$3(o,...a)',
  ],
  // As a child: a component of its own, and what makes a signal look like a node.
  [/function \w+\(\{data:[\s\S]*?(?=\w+\("__b")/, ''],
  // As an attribute: found before an element is drawn, bound after, let go with it.
  [
    /("__b",\(\w+,(\w+)\)=>\{\w+\(\);\w+=void 0;)if\("string"==typeof \2\.type\)\{[\s\S]*?\}(?=\w+\(\2\)\}\);\w+\("__r")/,
    '$1',
  ],
  [/("diffed",\(\w+,(\w+)\)=>\{\w+\(\);\w+=void 0;)let \w+;if\([\s\S]*?\}(?=\w+\(\2\)\}\);function )/, '$1'],
  [/function \w+\(\w+,\w+,\w+,\w+\)\{const \w+=\w+ in[\s\S]*?(?=\w+\("unmount")/, ''],
  [
    /("unmount",\(\w+,(\w+)\)=>\{)if\("string"==typeof \2\.type\)\{[\s\S]*?\}else(\{let \w+=\2\.__c;[\s\S]*?\})(?=\w+\(\2\)\}\);\w+\("__h")/,
    '$1$3',
  ],
];

/**
 * @param code the module of @preact/signals, minified as it is published
 * @throws when it has another shape than this was written for
 */
export function cutSignals(code: string): string {
  let kept = code;
  for (const [pattern, rest] of bindings) {
    if (!pattern.test(kept))
      throw new Error('@preact/signals has another shape now: see widget/build/cut-signals.ts');
    kept = kept.replace(pattern, rest);
  }
  return kept;
}
