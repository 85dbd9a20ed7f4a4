/** Sets of questions with what a right answer holds, asked of the agent service over its API, and how it fared. */

import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAgentService } from '../../demo/agent/service.ts';
import { servePage } from '../../demo/site/pages.ts';
import { type AgentClient, createAgentClient } from './agentclient.ts';

export interface TestQuestion {
  id: string;
  /** The demo shop, or a folder beside the questions. */
  site: string;
  kind: string;
  before?: string[];
  page?: string | undefined;
  question: string;
  expect: 'answer' | 'decline' | 'ask' | 'talk';
  facts?: string[][];
  never?: string[];
  pages?: string[];
}

export type Verdict = 'right' | 'declined rightly' | 'declined wrongly' | 'wrong';
export interface Result {
  question: TestQuestion;
  verdict: Verdict;
  reply: string;
}

const answers = join(import.meta.dirname, '../answers');

export function readQuestions(name: string): TestQuestion[] {
  return JSON.parse(readFileSync(join(answers, `${name}.json`), 'utf8')) as TestQuestion[];
}

/** A site's pages on a loopback port, read by an agent service of its own. */
export async function startSite(site: string) {
  const folder = join(answers, 'sites', site);
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (site === 'shop') return servePage(path, response, { botId: 'bot', helper: '/porchlight' });
    const name = path === '/' ? 'index.html' : path.slice(1);
    const isThere = readdirSync(folder).includes(name);
    response.writeHead(isThere ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
    return response.end(isThere ? readFileSync(join(folder, name), 'utf8') : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const target = { apiKey: 'owner-key', projectId: site, botId: 'bot' };
  const service = createAgentService({ ...target, db: ':memory:', wordsPerSecond: 0 });
  const client = createAgentClient('http://agent.test', target, service.fetch);
  await client.call('POST', '/v1/bot/source/create', { type: 'website', source: url });
  await service.idle();
  return {
    url,
    client,
    async close() {
      await service.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** @param page that the visitor is on, where the question names none */
export async function askAll(questions: readonly TestQuestion[], page?: string): Promise<Result[]> {
  const results: Result[] = [];
  for (const site of new Set(questions.map((question) => question.site))) {
    const asked = questions.filter((question) => question.site === site);
    const { url, client, close } = await startSite(site);
    for (const question of asked) results.push(await askOne({ page, ...question }, url, client));
    await close();
  }
  return results;
}

async function askOne(question: TestQuestion, url: string, client: AgentClient): Promise<Result> {
  const chat_id = randomUUID();
  const metadata = question.page === undefined ? {} : { metadata: { page: { url: url + question.page } } };
  for (const message of question.before ?? []) await client.chat(message, { chat_id, ...metadata });
  const { body } = await client.chat(question.question, { chat_id, ...metadata });
  const { chat } = body;
  const options = chat.tool?.parameters?.questions?.[0]?.options as string[] | undefined;
  const reply = options ? `asks: ${options.join(' / ')}` : String(chat.reply);
  const cited = (chat.sources ?? []).map(
    (source: { url: string | null }) => source.url?.slice(url.length) || '/',
  );
  return {
    question,
    reply: `${reply}${cited.length ? `  {${cited.join(' ')}}` : ''}`,
    verdict: judge(question, reply, options, cited),
  };
}

const flatten = (text: string) =>
  text
    .replace(/\\(.)/g, '$1')
    .replace(/[\s {2}]+/g, ' ')
    .replaceAll('’', "'")
    .toLowerCase();

/** One page under two addresses. */
const toOne = (path: string) => path.replace(/^\/index\.html$/, '/');

function judge(
  question: TestQuestion,
  reply: string,
  options: string[] | undefined,
  cited: string[],
): Verdict {
  const text = flatten(reply);
  const declines = text.includes('i found nothing') && cited.length === 0;
  const hasFacts = (question.facts ?? []).every((some) => some.some((fact) => text.includes(flatten(fact))));
  const hasNever = (question.never ?? []).some((fact) => text.includes(flatten(fact)));
  if (question.expect === 'decline') return declines ? 'declined rightly' : 'wrong';
  if (declines) return 'declined wrongly';
  if (question.expect === 'talk') return !options && cited.length === 0 && hasFacts ? 'right' : 'wrong';
  if (question.expect === 'ask') return options && hasFacts ? 'right' : 'wrong';
  if (options) return 'declined wrongly';
  const isCited = (question.pages ?? []).some((page) => cited.map(toOne).includes(toOne(page)));
  return hasFacts && !hasNever && isCited ? 'right' : 'wrong';
}

export const verdicts: readonly Verdict[] = ['right', 'declined rightly', 'declined wrongly', 'wrong'];

/** By kind, as a markdown table. */
export function toTable(results: readonly Result[]): string {
  const kinds = [...new Set(results.map(({ question }) => question.kind))];
  const count = (of: readonly Result[]) =>
    verdicts.map((verdict) => of.filter((one) => one.verdict === verdict).length);
  const rows = kinds.map(
    (kind) => `| ${kind} | ${count(results.filter(({ question }) => question.kind === kind)).join(' | ')} |`,
  );
  return [
    `| kind | ${verdicts.join(' | ')} |`,
    '| --- | --- | --- | --- | --- |',
    ...rows,
    `| all | ${count(results).join(' | ')} |`,
  ].join('\n');
}

/** Parts of all: right or rightly declined, and wrong. */
export function toShares(results: readonly Result[]): { good: number; wrong: number } {
  const part = (...of: Verdict[]) =>
    results.filter(({ verdict }) => of.includes(verdict)).length / results.length;
  return { good: part('right', 'declined rightly'), wrong: part('wrong') };
}
