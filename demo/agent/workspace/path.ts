/** Paths in a workspace: from the root, through folders that are there as long as something lies in them. */

import { AgentError } from '../errors.ts';
import { wellFormed } from '../text.ts';

const maxChars = 500;
/** Of a file that is written here. */
export const maxFileBytes = 1024 * 1024;

/** With its leading /, which may be left out. undefined: it is none, or leads out. */
export function toPath(text: string): string | undefined {
  const path = text.startsWith('/') ? text : `/${text}`;
  const isOne =
    path.length <= maxChars &&
    path === wellFormed(path) &&
    !/[\\\p{Cc}]/u.test(path) &&
    path
      .slice(1)
      .split('/')
      .every((name) => name !== '' && name !== '.' && name !== '..');
  return isOne ? path : undefined;
}

/** 400 `invalid_parameters`. @param name of the field */
export function requirePath(name: string, text: string): string {
  const path = toPath(text);
  if (path !== undefined) return path;
  throw new AgentError(
    400,
    'invalid_parameters',
    `${name}: a path of at most ${maxChars} characters, without empty, . and .. names, is needed.`,
  );
}

/** Those that it lies in, the outermost first. */
export function foldersOf(path: string): string[] {
  const names = path.split('/').slice(1, -1);
  return names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`);
}
