#!/usr/bin/env node
// Runs the sources as they are now, from any folder; where only what is built is there, that.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => existsSync(fileURLToPath(new URL(`../${path}`, import.meta.url)));
if (here('scripts/compiled.mjs') && here('node_modules/esbuild')) {
  const { compiled } = await import('../scripts/compiled.mjs');
  await import(await compiled('cli'));
} else {
  await import('../dist/cli.js');
}
