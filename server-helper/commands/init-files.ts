/** What `porchlight init` writes for each framework: the files of docs/install.md, and the variables with fresh secrets. */
import bun from '../templates/bun.mjs?raw';
import deno from '../templates/deno.mjs?raw';
import express from '../templates/express.mjs?raw';
import fastify from '../templates/fastify.mjs?raw';
import hono from '../templates/hono.mjs?raw';
import koa from '../templates/koa.mjs?raw';
import next from '../templates/next.js?raw';
import node from '../templates/node.mjs?raw';
import { makeSecret } from './keys.ts';

export type Framework = keyof typeof frameworks;
/** `variables`: where they are written, if not into a file of their own. */
type Plan = { file?: string; text?: string; variables?: string; run: string; installs: string };

const server = 'porchlight-server.mjs';
// A leading dot: a server of static files gives such a file to nobody, should the site's folder be this one.
const variablesFile = '.porchlight.env';
const storeFile = '.porchlight.db';
const onNode = (text: string, packages = ''): Plan => ({
  file: server,
  text,
  run: `node --env-file=${variablesFile} ${server}`,
  installs: `npm install porchlight${packages}`,
});

/** `serve`: no file of code, `porchlight serve` beside the site. */
export const frameworks = {
  node: onNode(node),
  express: onNode(express, ' express'),
  fastify: onNode(fastify, ' fastify'),
  koa: onNode(koa, ' koa'),
  hono: onNode(hono, ' hono @hono/node-server'),
  next: {
    file: 'app/porchlight/[...path]/route.js',
    text: next,
    // Next reads it by itself, and refuses Node's own way.
    variables: '.env.local',
    run: 'npx next dev',
    installs: 'npm install porchlight',
  },
  deno: {
    file: server,
    text: deno,
    run: `deno run --allow-all --env-file=${variablesFile} ${server}`,
    installs: 'npm install porchlight',
  },
  bun: {
    file: server,
    text: bun,
    run: `bun --env-file=${variablesFile} ${server}`,
    installs: 'bun add porchlight',
  },
  serve: {
    run: `node --env-file=${variablesFile} node_modules/.bin/porchlight serve`,
    installs: 'npm install porchlight',
  },
} satisfies Record<string, Plan>;

export type Answers = { agentUrl: string; apiKey: string; projectId: string; botId: string };

/** By their paths below the folder. */
export function toFiles(framework: Framework, answers: Answers): Record<string, string> {
  const { file, text }: Plan = frameworks[framework];
  return {
    ...(file && text && { [file]: text }),
    [toVariablesFile(framework)]: toVariables(framework, answers),
  };
}

/** What is to stay out of the repository: secrets and what visitors wrote. */
export const toPrivate = (framework: Framework): string[] => [toVariablesFile(framework), `${storeFile}*`];

export function toVariablesFile(framework: Framework): string {
  const { variables }: Plan = frameworks[framework];
  return variables ?? variablesFile;
}

function toVariables(framework: Framework, { agentUrl, apiKey, projectId, botId }: Answers): string {
  return [
    '# Read by the helper, and kept out of the repository: docs/deployment.md tells who else knows each secret.',
    `PORCHLIGHT_AGENT_URL=${agentUrl}`,
    `PORCHLIGHT_API_KEY=${apiKey}`,
    `PORCHLIGHT_PROJECT_ID=${projectId}`,
    `PORCHLIGHT_BOT_ID=${botId}`,
    '# The agent service is told it too, so that it knows whom the helper names.',
    `PORCHLIGHT_SSO_SECRET=${makeSecret()}`,
    `PORCHLIGHT_SESSION_SECRET=${makeSecret()}`,
    `PORCHLIGHT_STORE=sqlite:${storeFile}`,
    ...(framework === 'serve'
      ? ['# Origins of the pages that have the chat, as https://shop.example.', 'PORCHLIGHT_ORIGINS=']
      : []),
    // Next has its own way to be told.
    ...(framework === 'next' ? [] : [`PORT=${framework === 'serve' ? 8788 : 3000}`]),
    '',
  ].join('\n');
}
