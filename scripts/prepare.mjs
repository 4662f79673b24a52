// After an installation: compiles, so that the first start need not. Not where only what a build runs with was installed.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

if (existsSync(fileURLToPath(new URL('../node_modules/esbuild', import.meta.url)))) {
  const { compiled } = await import('./compiled.mjs');
  await compiled('main');
}
