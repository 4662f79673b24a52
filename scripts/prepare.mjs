// After an installation: compiles, and makes the template of embedded databases, so that the first start need not. Not where only what a build runs with was installed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
if (existsSync(`${root}/node_modules/esbuild`)) {
  const template = spawn(
    process.execPath,
    ['--import', 'tsx', 'src/core/database/make-template.ts', '.build'],
    { cwd: root, stdio: 'inherit' },
  );
  const made = once(template, 'exit');
  const { compiled } = await import('./compiled.mjs');
  await compiled('main');
  const [code] = await made;
  process.exitCode = code ?? 1;
}
