/** `porchlight init`: writes the few files that a framework needs, and says what is left to do. Node only. */
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { defineCommand } from 'citty';
import { readAgentUrl, readPrintable } from '../option.ts';
import { type Framework, frameworks, toFiles, toPrivate, toVariablesFile } from './init-files.ts';
import { quit, refuseUnknown } from './settings.ts';

const names = Object.keys(frameworks) as Framework[];
const flags = {
  framework: `${names.join(', ')} (a process of its own)`,
  'agent-url': 'base URL of the agent service, without /v1',
  'api-key': 'its key; may be written into .porchlight.env later',
  'project-id': 'the project there',
  'bot-id': 'the agent there',
} as const;

export const init = defineCommand({
  meta: {
    name: 'init',
    description: 'Write the files that mount the helper, and its variables with fresh secrets',
  },
  args: {
    ...Object.fromEntries(
      Object.entries(flags).map(([name, description]) => [name, { type: 'string' as const, description }]),
    ),
    folder: { type: 'string', default: '.', description: 'where to write them' },
  },
  async run({ args, rawArgs, cmd }) {
    refuseUnknown(rawArgs, cmd.args, args._);
    const given = await complete(args as Partial<Record<keyof typeof flags, string>>);
    const framework = given.framework as Framework;
    const folder = String(args.folder);
    const files = place(toFiles(framework, readAnswers(given)), folder);
    const variables = toVariablesFile(framework);
    const isShared = await holdsOther(join(folder, variables));
    const known = Object.keys(files).filter(
      (file) => existsSync(join(folder, file)) && !(isShared && file === variables),
    );
    if (known.length > 0) quit(`there already: ${known.join(', ')}. Nothing was written`);
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      // Nobody else on the machine may read the secrets.
      const isAdded = isShared && file === variables;
      await writeFile(join(folder, file), isAdded ? `\n${text}` : text, {
        flag: isAdded ? 'a' : 'wx',
        mode: file === variables ? 0o600 : 0o644,
      });
      process.stdout.write(`${isAdded ? 'added to' : 'wrote'} ${file}\n`);
    }
    await ignore(join(folder, '.gitignore'), toPrivate(framework));
    process.stdout.write(toRest(framework, given));
  },
});

/** What no flag says is asked for, where somebody is there to answer. */
async function complete(given: Partial<Record<keyof typeof flags, string>>) {
  const missing = (Object.keys(flags) as (keyof typeof flags)[]).filter((name) => given[name] === undefined);
  const needed = missing.filter((name) => name !== 'api-key');
  if (needed.length === 0) return given;
  if (!process.stdin.isTTY) quit(`${needed.map((name) => `--${name}`).join(', ')} missing`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const all = { ...given };
  for (const name of missing) all[name] = (await terminal.question(`${name}, ${flags[name]}: `)).trim();
  terminal.close();
  return all;
}

function readAnswers(given: Partial<Record<keyof typeof flags, string>>) {
  if (!names.includes(given.framework as Framework)) quit(`--framework must be one of ${names.join(', ')}`);
  try {
    return {
      agentUrl: readAgentUrl('--agent-url', given['agent-url']).href.replace(/\/$/, ''),
      apiKey: given['api-key'] ? readPrintable('--api-key', given['api-key']) : '',
      projectId: readPrintable('--project-id', given['project-id'], 200),
      botId: readPrintable('--bot-id', given['bot-id'], 200),
    };
  } catch (error) {
    return quit((error as Error).message);
  }
}

/** A file of variables that the framework shares with the app, and none of the helper's in it yet. */
async function holdsOther(file: string): Promise<boolean> {
  return file.endsWith('.local') && existsSync(file) && !/^PORCHLIGHT_/m.test(await readFile(file, 'utf8'));
}

async function ignore(file: string, secretFiles: readonly string[]): Promise<void> {
  const now = existsSync(file) ? await readFile(file, 'utf8') : '';
  const missing = secretFiles.filter((name) => !now.split('\n').includes(name));
  if (missing.length === 0) return;
  await appendFile(file, `${now === '' || now.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`);
  process.stdout.write(`.gitignore leaves out ${missing.join(' and ')}\n`);
}

function toRest(framework: Framework, given: Partial<Record<keyof typeof flags, string>>): string {
  const { run, installs } = frameworks[framework];
  const source = framework === 'serve' ? 'http://127.0.0.1:8788/porchlight' : '/porchlight';
  const steps = [
    installs,
    ...(given['api-key']
      ? []
      : [`write the agent’s key into ${toVariablesFile(framework)}, behind PORCHLIGHT_API_KEY=`]),
    `give PORCHLIGHT_SSO_SECRET to the agent service, or take the line out where nobody signs in`,
    ...(framework === 'serve'
      ? [`list the site’s origin behind PORCHLIGHT_ORIGINS=, or have the site’s proxy pass /porchlight on`]
      : []),
    run,
    `put the tag on each page: <script async src="${source}/widget/loader.js" data-bot-id="${given['bot-id']}"></script>`,
    `look at all of it: node --env-file=${toVariablesFile(framework)} node_modules/.bin/porchlight check --ask`,
  ];
  return `\nLeft to do:\n${steps.map((step, at) => `${at + 1}. ${step}`).join('\n')}\n`;
}

/** Next looks at `src/app` only where no `app` or `pages` stands beside it. */
function place(files: Record<string, string>, folder: string): Record<string, string> {
  const has = (path: string) => existsSync(join(folder, path));
  if (has('app') || has('pages') || !(has('src/app') || has('src/pages'))) return files;
  return Object.fromEntries(
    Object.entries(files).map(([file, text]) => [file.startsWith('app/') ? `src/${file}` : file, text]),
  );
}
