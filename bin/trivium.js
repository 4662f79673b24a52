#!/usr/bin/env node
// Runs the TypeScript sources as they are, from any folder; where only what is compiled is there, that.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
if (existsSync(`${root}/src/cli.ts`)) {
  if (!existsSync(`${root}/src/generated/prisma`))
    execFileSync(process.execPath, ['scripts/generate.mjs'], { cwd: root, stdio: 'inherit' });
  const { register } = await import('tsx/esm/api');
  register();
  await import('../src/cli.ts');
} else {
  await import('../dist/cli.js');
}
