/** Character references of HTML in an answer, loaded where there are any: numeric ones, and the names of HTML 4 (W3C, "Character entity references"). */

/** Names in the order of their code points, from U+00A0 to U+00FF. */
const latin1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';
/** The same from U+0391 and U+03B1; a dot where there is none. */
const greekCapitals =
  'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho . Sigma Tau Upsilon Phi Chi Psi Omega';
const greekSmall =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega';
const others =
  'OElig\u0152 oelig\u0153 Scaron\u0160 scaron\u0161 Dcaron\u010e Yuml\u0178 fnof\u0192 circ\u02c6 tilde\u02dc ensp\u2002 emsp\u2003 thinsp\u2009 ndash\u2013 mdash\u2014 lsquo\u2018 rsquo\u2019 sbquo\u201a ldquo\u201c rdquo\u201d bdquo\u201e dagger\u2020 Dagger\u2021 bull\u2022 hellip\u2026 permil\u2030 prime\u2032 Prime\u2033 lsaquo\u2039 rsaquo\u203a oline\u203e frasl\u2044 euro\u20ac trade\u2122 larr\u2190 uarr\u2191 rarr\u2192 darr\u2193 harr\u2194 lArr\u21d0 uArr\u21d1 rArr\u21d2 dArr\u21d3 hArr\u21d4 forall\u2200 part\u2202 exist\u2203 empty\u2205 nabla\u2207 isin\u2208 notin\u2209 ni\u220b prod\u220f sum\u2211 minus\u2212 radic\u221a prop\u221d infin\u221e ang\u2220 and\u2227 or\u2228 cap\u2229 cup\u222a int\u222b there4\u2234 sim\u223c cong\u2245 asymp\u2248 ne\u2260 equiv\u2261 le\u2264 ge\u2265 sub\u2282 sup\u2283 nsub\u2284 sube\u2286 supe\u2287 oplus\u2295 otimes\u2297 perp\u22a5 sdot\u22c5 lceil\u2308 rceil\u2309 lfloor\u230a rfloor\u230b loz\u25ca spades\u2660 clubs\u2663 hearts\u2665 diams\u2666';

const names = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);
const addRun = (run: string, from: number) => {
  run.split(' ').forEach((name, index) => {
    names.set(name, String.fromCodePoint(from + index));
  });
};
addRun(latin1, 0xa0);
addRun(greekCapitals, 0x391);
addRun(greekSmall, 0x3b1);
for (const other of others.split(' ')) names.set(other.slice(0, -1), other.slice(-1));

/** @param body what stands between `&` and `;` @returns undefined for a name that is not known */
export function readReference(body: string): string | undefined {
  if (!body.startsWith('#')) return names.get(body);
  const code = Number(/x/i.test(body) ? `0${body.slice(1)}` : body.slice(1));
  // U+0000 and what is no character are replaced (CommonMark 2.5).
  const valid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return valid ? String.fromCodePoint(code) : '\ufffd';
}
