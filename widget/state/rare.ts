/** What a conversation seldom needs, in one file: loaded with the first of it. */
export { arrive } from './arriving.ts';
export { readOlder } from './older.ts';
export { retry } from './retrying.ts';
