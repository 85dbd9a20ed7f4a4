#!/usr/bin/env node
/** `porchlight`: the helper as a process of its own, and what helps to set it up. */
import { defineCommand, runMain } from 'citty';
import packageJson from '../package.json' with { type: 'json' };
import { check } from './commands/check.ts';
import { init } from './commands/init.ts';
import { keys } from './commands/keys.ts';
import { serve } from './commands/serve.ts';
import { token } from './commands/token.ts';

// `porchlight init | head` has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

runMain(
  defineCommand({
    meta: { name: 'porchlight', version: packageJson.version, description: packageJson.description },
    subCommands: { serve, init, check, token, keys },
  }),
);
