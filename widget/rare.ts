/** What an opened chat seldom needs, in one file: loaded with the first of it. `seldom.ts` is the loader's. */
export { arrive } from './state/arriving.ts';
export { createDisplay } from './state/display.ts';
export { readOlder } from './state/older.ts';
export { retry } from './state/retrying.ts';
