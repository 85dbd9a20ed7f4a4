#!/usr/bin/env node
/** `porchlight`: the helper as a process of its own, what it finds wrong with its set-up, and tokens to try it with. */
import { defineCommand, runMain } from 'citty';
import packageJson from '../package.json' with { type: 'json' };
import { check } from './commands/check.ts';
import { serve } from './commands/serve.ts';
import { token } from './commands/token.ts';

runMain(
  defineCommand({
    meta: { name: 'porchlight', version: packageJson.version, description: packageJson.description },
    subCommands: { serve, check, token },
  }),
);
