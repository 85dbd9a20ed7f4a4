#!/usr/bin/env node
/** `porchlight serve`: the helper as a process of its own, set up by the environment. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineCommand, runMain } from 'citty';
import pino from 'pino';
import packageJson from '../package.json' with { type: 'json' };
import { readEnvironment, type ServeSettings, toVariableMessage } from './environment.ts';
import { createNodeHelper, type NodeHelper } from './node.ts';

const requestTimeoutMs = 30_000;
const headersTimeoutMs = 10_000;
/** Longer than a load balancer keeps an idle connection, so that it is never the helper that hangs up first. */
const keepAliveMs = 75_000;

function readSettings(log: pino.Logger): { settings: ServeSettings; helper: NodeHelper } {
  try {
    const settings = readEnvironment(process.env, log);
    return { settings, helper: createNodeHelper(settings.options) };
  } catch (error) {
    process.stderr.write(`porchlight: ${toVariableMessage((error as Error).message)}\n`);
    process.exit(1);
  }
}

const serve = defineCommand({
  meta: { name: 'serve', description: 'Run the helper; options are read from PORCHLIGHT_… variables' },
  run() {
    const log = pino({ name: 'porchlight', base: null });
    const { settings, helper } = readSettings(log);
    const server = createServer(helper.listener);
    server.requestTimeout = requestTimeoutMs;
    server.headersTimeout = headersTimeoutMs;
    server.keepAliveTimeout = keepAliveMs;
    server.on('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? `port ${settings.port} is in use: set PORT` : error.code;
      process.stderr.write(`porchlight: ${why}\n`);
      process.exit(1);
    });
    server.listen(settings.port, settings.host, 4096, () => {
      const { port } = server.address() as AddressInfo;
      log.info({ url: `http://${settings.host}:${port}${helper.basePath}` }, 'listening');
    });
    const stop = async () => {
      log.info({}, 'stopping: running turns may end');
      await helper.close();
      server.close();
      server.closeAllConnections();
      process.exit(0);
    };
    process.once('SIGTERM', () => void stop());
    process.once('SIGINT', () => void stop());
  },
});

runMain(
  defineCommand({
    meta: { name: 'porchlight', version: packageJson.version, description: packageJson.description },
    subCommands: { serve },
  }),
);
