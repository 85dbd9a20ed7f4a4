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
  // What developer tools look for, and the names that they show.
  [/const \w+="undefined"!=typeof window&&!!window\.__PREACT_SIGNALS_DEVTOOLS__;/, ''],
  [/\{var \w+;if\(\w+\)null==\(\w+=this\.y\)\|\|\w+\.call\(this\);/, '{'],
  [/,"function"==typeof (\w+)\.type\?\1\.type\.displayName\|\|\1\.type\.name:""/, ''],
  [/,\{name:(\w+)\}\)(;\w+\.c=)/, ')$2'],
  [/"__source"!==\w+&&/, ''],
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
  // Of states of components.
  [/\w+\("__h",\(\w+,\w+,\w+,\w+\)=>\{[\s\S]*?\}\);(?=\w+\.prototype\.should)/, ''],
];

/** Of the core: who watches a signal and what it is called is asked by nobody, and no signal is written as text. */
const extras: readonly (readonly [RegExp, string])[] = [
  [/;this\.W=null==\w+\?void 0:\w+\.watched;this\.Z=[^}]*\}\w+\.prototype\.brand=\w+;/, '}'],
  [/;else \w+\(\(\)=>\{var \w+;null==\(\w+=this\.W\)\|\|\w+\.call\(this\)\}\)/, ''],
  [
    /(this\.t=\w+);if\(void 0===\w+\)\w+\(\(\)=>\{var \w+;null==\(\w+=this\.Z\)\|\|\w+\.call\(this\)\}\)/,
    '$1',
  ],
  [/,\{name:"sub"\}/, ''],
  [/\w+\.prototype\.valueOf=[\s\S]*?(?=\w+\.prototype\.peek=)/, ''],
  [/this\.name=null==\w+\?void 0:\w+\.name;/, ''],
  // Faults of a program that its own tests would find.
  [/if\(\w+!==this\)throw new Error\("Out-of-order effect"\);/, ''],
  [/(get\(\)\{)if\(1&this\.f\)throw new Error\("Cycle detected"\);/, '$1'],
  [/\w+\.prototype\.dispose=function\(\)\{this\.d\(\)\};/, ''],
  [/const (\w+)=(\w+\.d\.bind\(\w+\));\1\[Symbol\.dispose\]=\1;return \1/, 'return $2'],
];

function cut(code: string, parts: readonly (readonly [RegExp, string])[]): string {
  let kept = code;
  for (const [pattern, rest] of parts) {
    if (!pattern.test(kept))
      throw new Error('@preact/signals has another shape now: see widget/build/cut-signals.ts');
    kept = kept.replace(pattern, rest);
  }
  return kept;
}

/**
 * @param code the module of @preact/signals, minified as it is published
 * @throws when it has another shape than this was written for
 */
export const cutSignals = (code: string): string => cut(code, bindings);

/**
 * @param code the module of @preact/signals-core, minified as it is published
 * @throws when it has another shape than this was written for
 */
export const cutCore = (code: string): string => cut(code, extras);
