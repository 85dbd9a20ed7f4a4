/** `porchlight serve`: the helper as a process of its own, set up by the environment. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineCommand } from 'citty';
import pino from 'pino';
import { toCauseCode } from '../errors.ts';
import { createLogOutput } from '../log-output.ts';
import { quit, readSettings, refuseUnknown } from './settings.ts';

const requestTimeoutMs = 30_000;
const headersTimeoutMs = 10_000;
/** Longer than a load balancer keeps an idle connection, so that it is never the helper that hangs up first. */
const keepAliveMs = 75_000;
/** A peer that takes nothing of its reply for so long is gone; a stream that lives beats more often. */
const stuckMs = 60_000;
const lastRepliesMs = 2_000;
const idleSweepMs = 50;

/** What `listen` says of a wrong variable; its own words name an address, not the variable. */
const listenFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: 'PORT is in use: set another',
  EACCES: 'PORT may not be used by this user: set another',
  EADDRNOTAVAIL: 'HOST must be an address of this machine',
  ENOTFOUND: 'HOST must be an address of this machine',
  EINVAL: 'HOST must be an address of this machine',
};

export const serve = defineCommand({
  meta: { name: 'serve', description: 'Run the helper; options are read from PORCHLIGHT_… variables' },
  async run({ args, rawArgs }) {
    refuseUnknown(rawArgs, {}, args._);
    const log = pino({ name: 'porchlight', base: null }, createLogOutput(process.stdout.fd));
    const { settings, helper } = readSettings(log);
    await settings.options.store
      .check()
      .catch((error: unknown) => quit(`PORCHLIGHT_STORE cannot be written: ${toCauseCode(error)}`));
    const server = createServer((request, response) => {
      // Whoever watches over a process asks at the root.
      if (/^\/(healthz|readyz|metrics)(\?|$)/.test(request.url ?? ''))
        request.url = helper.basePath + request.url;
      helper.listener(request, response);
    });
    server.requestTimeout = requestTimeoutMs;
    server.headersTimeout = headersTimeoutMs;
    server.keepAliveTimeout = keepAliveMs;
    server.timeout = stuckMs;
    server.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => quit(listenFaults[code] ?? code));
    server.listen(settings.port, settings.host, 4096, () => {
      const { port } = server.address() as AddressInfo;
      const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
      log.info({ url: `http://${host}:${port}${helper.basePath}` }, 'listening');
    });
    const stop = async () => {
      log.info({}, 'stopping: running turns may end');
      await helper
        .close()
        .catch((error: unknown) => log.error({ code: toCauseCode(error) }, 'the store could not be closed'));
      // The last replies may still be on their way to a slow reader.
      server.close(() => process.exit(0));
      setInterval(() => server.closeIdleConnections(), idleSweepMs);
      setTimeout(() => server.closeAllConnections(), lastRepliesMs);
    };
    let isStopping = false;
    // One Ctrl-C may come twice, from the terminal and from npm: a second one cuts no answer short.
    const stopOnce = () => {
      if (!isStopping) void stop();
      isStopping = true;
    };
    process.on('SIGTERM', stopOnce);
    process.on('SIGINT', stopOnce);
  },
});
