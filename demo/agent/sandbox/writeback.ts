/** What a command left, as files of its workspace. Nothing goes before all else is kept: what a command removed may be what it made something of that could not be. */

import { AgentError } from '../errors.ts';
import type { File, FileStore } from '../store/files.ts';
import { foldersOf, maxFileBytes } from '../workspace/path.ts';
import { createBreath } from './breath.ts';
import { isPlaceable, type Left } from './folder.ts';

/** By path, as it was when the command began. */
export type Before = Map<string, { file: File; content: Buffer }>;

export interface NotDone {
  /** Also for somebody's change meanwhile. */
  not_kept?: string[];
  /** What the command removed, where something was not kept, or somebody changed it meanwhile. */
  not_deleted?: string[];
}

/** Of those so many are named. */
const mostNamed = 20;

/** Throws why `signal` aborts. */
export async function writeBack(
  files: FileStore,
  workspace: string,
  before: Before,
  { files: now, unkept }: Left,
  signal: AbortSignal,
): Promise<NotDone> {
  const refused = new Set(unkept);
  const breath = createBreath(signal);
  const gone = createGone(
    [...before].flatMap(([path, { file }]) =>
      now.has(path) || refused.has(path) || !isPlaceable(path) ? [] : [file],
    ),
  );
  const attempt = async (path: string, bytes: number, work: () => void) => {
    try {
      work();
    } catch (thrown) {
      if (!(thrown instanceof AgentError)) throw thrown;
      refused.add(path);
    }
    await breath(bytes);
  };
  const create = (path: string, content: Buffer, inPlaceOf: File[] = []) => {
    files.create(workspace, { path, content, language: null, by: 'agent' }, inPlaceOf);
    gone.forget(inPlaceOf);
  };

  /** What has no room unless something goes. */
  const waiting: [string, Buffer][] = [];
  for (const [path, content] of now) {
    const known = before.get(path);
    if (known?.content.equals(content)) continue;
    await attempt(path, content.length, () => {
      if (content.length > maxFileBytes) throw new AgentError(413, 'too_large', 'The file is too large.');
      if (known) return void files.write(known.file, content, 'agent', known.file.version);
      if (gone.inTheWayOf(path).length > 0) return void waiting.push([path, content]);
      try {
        create(path, content);
      } catch (thrown) {
        if (!isFull(thrown)) throw thrown;
        waiting.push([path, content]);
      }
    });
  }
  const mayGo = refused.size === 0 && files.hasRoom(workspace, waiting.length - gone.all.size);
  for (const [path, content] of waiting)
    await attempt(path, content.length, () => {
      if (!mayGo || refused.size > 0) throw new AgentError(403, 'plan_limit_reached', 'There is no room.');
      const inTheWay = gone.inTheWayOf(path);
      try {
        create(path, content, inTheWay);
      } catch (thrown) {
        const [first] = gone.all.values();
        if (!isFull(thrown) || inTheWay.length > 0 || !first) throw thrown;
        create(path, content, [first]);
      }
    });
  if (refused.size > 0) return { ...name('not_kept', refused), ...name('not_deleted', gone.all.keys()) };
  const left: string[] = [];
  for (const file of gone.all.values()) {
    // Somebody has written or moved it meanwhile.
    if (!files.deleteUnwritten(file)) left.push(file.path);
    await breath(0);
  }
  return name('not_deleted', left);
}

const isFull = (thrown: unknown) => thrown instanceof AgentError && thrown.code === 'plan_limit_reached';

/** What the command removed, by path and by the folders that it lay in. */
function createGone(files: readonly File[]) {
  const all = new Map(files.map((file) => [file.path, file]));
  const byFolder = new Map<string, File[]>();
  for (const file of files)
    for (const folder of foldersOf(file.path)) {
      const within = byFolder.get(folder);
      if (within) within.push(file);
      else byFolder.set(folder, [file]);
    }
  return {
    all,
    /** Nothing is a file and a folder at once. */
    inTheWayOf: (path: string): File[] =>
      [...foldersOf(path).map((one) => all.get(one)), ...(byFolder.get(path) ?? [])].filter(
        (file) => file !== undefined && all.has(file.path),
      ) as File[],
    forget(some: readonly File[]) {
      for (const { path } of some) all.delete(path);
    },
  };
}

function name(key: keyof NotDone, paths: Iterable<string>): NotDone {
  const all = [...paths];
  const more = all.length > mostNamed ? [`and ${all.length - mostNamed} more`] : [];
  return all.length > 0 ? { [key]: [...all.slice(0, mostNamed), ...more] } : {};
}
