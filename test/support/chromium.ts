/** Finds a Chromium for the browser tests: the one named, the one inside an npm package, or the system's. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { findOnPath, isProgram, unpackOnce } from './unpack.ts';

export type FoundChromium = { path: string; env: Record<string, string> };

const systemNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const packageName = '@sparticuz/chromium';

/**
 * The npm package's is the same for everybody, and a headless shell: what a whole browser draws around
 * each page takes half of the processor. It is built for one kind of machine.
 *
 * @param isWhole what a headless shell cannot do is looked at: the system's goes first
 * @param wanted `$CHROMIUM`: the path of another
 * @throws Error of one line that says what to do
 */
export async function findChromium(isWhole = false, wanted = process.env.CHROMIUM): Promise<FoundChromium> {
  if (wanted) {
    if (isProgram(wanted)) return say({ path: wanted, env: {} });
    throw new Error(`CHROMIUM names no program that can be run: ${wanted}`);
  }
  const ofSystem = findOnPath(systemNames);
  const isPackages = process.platform === 'linux' && process.arch === 'x64';
  if (isPackages && !(isWhole && ofSystem)) return say(await unpackPackage());
  if (ofSystem) return say({ path: ofSystem, env: {} });
  throw new Error('No browser to test with: install Chromium, or set CHROMIUM to the path of one.');
}

function say(found: FoundChromium): FoundChromium {
  process.stderr.write(`Browser: ${found.path}\n`);
  return found;
}

/** With the libraries and fonts that a bare machine lacks. */
async function unpackPackage(): Promise<FoundChromium> {
  const entry = createRequire(import.meta.url).resolve(packageName);
  const end = entry.lastIndexOf(join(packageName, sep));
  const about = await readFile(join(entry.slice(0, end), packageName, 'package.json'), 'utf8');
  const { version } = JSON.parse(about) as { version: string };
  const cache = join(entry.slice(0, end), '.cache');
  const folder = await unpackOnce(cache, `chromium-${version}`, (staging, kept) =>
    unpackInto(staging, kept, cache),
  );
  const libraries = [join(folder, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean);
  return {
    path: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: libraries.join(delimiter), FONTCONFIG_PATH: join(folder, 'fonts') },
  };
}

/** The package unpacks into the temporary folder, with its libraries only where it sees Lambda: so it is shown both. */
async function unpackInto(staging: string, folder: string, cache: string): Promise<void> {
  const script = `const { default: chromium } = await import('${packageName}'); await chromium.executablePath();`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: cache,
    env: { ...process.env, TMPDIR: staging, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
  });
  const fonts = join(staging, 'fonts', 'fonts.conf');
  await writeFile(fonts, (await readFile(fonts, 'utf8')).replaceAll('/tmp/', `${folder}/`));
}
