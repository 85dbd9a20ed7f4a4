/**
 * For the build: leaves out of preact what this widget never does. It takes over nothing that a server drew, draws
 * nothing elsewhere than where it stands, sets no inner HTML and no inline styles, and its components are functions.
 */

const unused: readonly (readonly [RegExp, string])[] = [
  // Taking over what a server drew, with or without what it streams later between comments.
  [/128&u\.__u&&\(c=32&u\.__u,s=u\.__c\.__z\)&&\([\s\S]*?l=o\[0\]\|\|l\),/, ''],
  [
    /catch\(t\)\{if\(e\.length=v,r\.__v=null,c\|\|o\)[\s\S]*?t&&t\.then\|\|D\(r\),/,
    'catch(t){e.length=v,r.__v=null,r.__e=u.__e,r.__k||(r.__k=u.__k||[]),D(r),',
  ],
  [/r\.__u&=-161,p&&p\.some\(g\),/, ''],
  [/function B\(n,t\)\{[\s\S]*?\}(?=function D)/, ''],
  [/!u&&\(i=t\.__c\)&&\(i=i\.__z\)&&[\s\S]*?,g\(i\)\),/, ''],
  [/,l&&\(n\.__m&&n\.__m\(r,o\),l=!1\),o=null\}/, '}'],
  [/if\(a="template"==C&&[\s\S]*?=k\.value;(?=for)/, 'a=t;'],
  [/:l&&"function"!=typeof k\|\|\$\[s\]===k\|\|N\(/, ':$[s]===k||N('],
  [
    /o\?o\[0\]:u\.__k&&S\(u,0\),l,c\),o&&o\.some\(g\)\),l&&"textarea"!=C\|\|\(s="value",/,
    'u.__k&&S(u,0),l,c)),(s="value",',
  ],
  [/\$===x\|\|l&&t\.data==x\|\|\(t\.data=x\)/, '$===x||(t.data=x)'],
  [
    /for\(t&&!t\.parentNode&&\(t=S\(n\)\)[\s\S]*?return t\}(?=function O)/,
    't&&!t.parentNode&&(t=S(n))&&!t.parentNode&&(t=null),o=n.__e,o!=t&&(!u&&r.moveBefore&&o.parentNode?r.moveBefore(o,t):r.insertBefore(o,t||null));return o.nextSibling}',
  ],
  // Elements of mathematics; in the same breath what a server drew.
  [
    /if\("svg"==C\?f="http:\/\/www\.w3\.org\/2000\/svg":[\s\S]*?break\}if\(!t\)/,
    'if("svg"==C?f="http://www.w3.org/2000/svg":f||(f="http://www.w3.org/1999/xhtml"),!t)',
  ],
  // Inner HTML.
  [/"danger\w+"==s\?y=k:/, ''],
  [/"danger\w+"==s\?h=k:/, ''],
  [/h\?\(l\|\|y&&[\s\S]*?\):\(y&&\(t\.textContent=""\),\([\s\S]*?1999\/xhtml"\),I\(/, '(I('],
  // Portals.
  [/(\.type)\|\|n\.props\.__P(\?null:S\(n\))/, '$1$2'],
  [/n\.__c&&!n\.props\.__P\)/, 'n.__c)'],
  [/if\(n\.props\.__P\)return t;/, ''],
  [/M\.__P&&\(s=l,[\s\S]*?S\(u,0\):null\),/, ''],
  [/,M\.__P&&\(r\.__e=null,l=s\)/, ''],
  [/\|\|u&&!t\.props\.__P\);/, '||u);'],
  // Components that are classes.
  [/C&&\(d\.__s\|\|\(d\.__s=d\.state\),V\.getDerived[\s\S]*?d\.__s\)\)\)\),/, ''],
  [/M!==k&&C&&!V\.get[\s\S]*?Props\(M,L\),/, ''],
  [/d\.componentWillUpdate&&[\s\S]*?d\.componentDidMount\);/, '}'],
  [
    /,q=C\?25:0;do\{(d\.__g&=-9,H&&H\(r\),s=d\.render\(d\.props,d\.state=d\.__s,d\.context\))\}while\([\s\S]*?d\.__k=\[\]\),/,
    ',$1,',
  ],
  [/C&&u\.__c&&d\.getSnapshot[\s\S]*?\)\),/, ''],
  // Components that catch what others throw. What throws is told, and stands as it was or is not there: thrown on, it
  // would leave all else on the page, whoever comes.
  [/n=\{__e:function\(n,t,r,u\)\{[\s\S]*?throw f=0,n\}\}/, 'n={__e(n){reportError(n)}}'],
  [/C=\(s=V\.prototype\)&&s\.render,/, ''],
  [/\(C\?r\.__c=d=new V\(M,L\):\((r\.__c=d=new x\(M,L\),d\.constructor=V,d\.render=K)\)/, '($1'],
  [/k=d\.props,b=d\.state,/, ''],
  [/"function"==typeof n&&\(n=n\(_\(\{\},r\),this\.props\)\),/, ''],
  [/t&&this\.__k\.push\(t\),/, ''],
  [/x\.prototype\.forceUpdate=function[\s\S]*?\},(?=x\.prototype\.render)/, ''],
  // Consumers of a context: here it is read by a hook.
  [/j=\(s=V\.contextType\)&&i\[s\.__c\],L=s\?j\?j\.props\.value:s\.__:i,/, 'L=i,'],
  [/,j&&j\.sub\(d\),/, ','],
  [/t\.Provider=\(t\.Consumer=[\s\S]*?\)\.contextType=t,t/, 't.Provider=t'],
  // Hooks of other libraries: of when to draw, and into each node and event.
  [/\(8&t\.__g\|\|\((.*?)\)\)&&i==n\.debounce[\s\S]*?\(H\)\}/, '8&t.__g||($1)||queueMicrotask(H)}'],
  [/\(f=u\.length\)&&\(i\|\|queueMicrotask\)\(H\)/, '(f=u.length)&&queueMicrotask(H)'],
  [/return!o&&n\.vnode&&n\.vnode\(e\),e/, 'return e'],
  [/n\.vnode&&n\.vnode\(r\),/, ''],
  [/n\.event\?n\.event\(r\):r/, 'r'],
  // Into a document, or where something stands already.
  [/9==r\.nodeType&&\(r=r\.documentElement\),i=\(u=t&&32&t\.__u\)\?null:/, 'i='],
  [/i\?null:r\.firstChild\?d\.call\(r\.childNodes\):null,f,i\?i\.__e:r\.firstChild,/, 'null,f,i?i.__e:null,'],
  [/32&u\.__u\?\[i\]:null,f,i\|\|S\(u\),32&u\.__u,/, 'null,f,i||S(u),0,'],
  [/M=a\.ownerDocument\|\|document/, 'M=document'],
  // Inline styles, which a strict policy of the page would refuse; elements and attributes that are not used here.
  [/if\("style"==t\)[\s\S]*?T\(n\.style,t,r\[t\]\)\}else (?=if\("o"==t)/, ''],
  [/(if\("http:\/\/www\.w3\.org\/2000\/svg")==i\)t=t\.replace[\s\S]*?else if\(/, '$1!=i&&'],
  [/"width"!=t&&"height"!=t&&("href"!=t&&)"list"!=t&&"form"!=t&&/, '$1'],
  [/"download"!=t&&"rowSpan"!=t&&"colSpan"!=t&&("role"!=t&&)"popover"!=t&&/, '$1'],
  [/"popover"==t&&1==r\?"":r/, 'r'],
  [/x\.is\?x:a/, 'a'],
  // References that are functions, and pointers that are captured.
  [/function G\(t,r,u,i\)\{[\s\S]*?\}(?=function J)/, 'function G(t,r){t.current=r}'],
  [/\/\(PointerCapture\)\$\|Capture\$\/i/, '/Capture$/'],
  [/t\.replace\(l,"\$1"\)/, 't.replace(l,"")'],
  [/"progress"==C&&null==b\?t\.removeAttribute\(s\):/, ''],
  [/&&\("progress"!=C\|\|b\)/, ''],
];

/** Of the hooks: no component has a state of its own or an id, none is drawn on a server, and nobody watches them. */
const unusedOfHooks: typeof unused = [
  [/a\.__h&&a\.__h\(r,n,f\|\|t\),f=0;/, ''],
  [/return f=5,w/, 'return w'],
  [/!a\.__s&&(E\(i\.__H,u\)&&\(i\.__P=!0)/, '$1'],
  [/!a\.__s&&(E\(i\.__H,u\)&&\(i\.__P=!1)/, '$1'],
  [/a\.__=function\(n,t\)\{[\s\S]*?\},(?=a\.__r=)/, ''],
  [/n\.__N&&\(n\.__=n\.__N\),n\.u=n\.__N=void 0/, 'n.u=void 0'],
  // They come first: there is nobody before them to hand on to.
  [/,v=a\.__b,l=a\.__r,m=a\.diffed,h=a\.__c,s=a\.unmount,p=a\.__(?=;)/, ''],
  [/,v&&v\(n\)/, ''],
  [/l&&l\(n\),(?=t=0)/, ''],
  [/m&&m\(n\);/, ''],
  [/,h&&h\(n,t\)/, ''],
  [/s&&s\(n\);/, ''],
  // Every browser has frames, and nobody brings others.
  [/k&&cancel/, 'cancel'],
  [/k&&\((t=requestAnimationFrame\(r\))\)/, '$1'],
  [/1!=n&&i==a\.requestAnimationFrame\|\|\(\(i=a\.requestAnimationFrame\)\|\|z\)\(g\)/, '1!=n||z(g)'],
];

function cut(code: string, parts: typeof unused): string {
  let kept = code;
  for (const [pattern, rest] of parts) {
    if (!pattern.test(kept)) throw new Error('preact has another shape now: see widget/build/cut-preact.ts');
    kept = kept.replace(pattern, rest);
  }
  return kept;
}

/**
 * @param code the module of preact, minified as it is published
 * @throws when it has another shape than this was written for
 */
export const cutPreact = (code: string): string => cut(code, unused);
/** The same of its hooks. */
export const cutHooks = (code: string): string => cut(code, unusedOfHooks);
