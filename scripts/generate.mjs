// Generates the Prisma client when prisma/schema.prisma or Prisma itself changed since the last time; else does nothing, so that a start stays fast.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = `${root}/src/generated/prisma/.stamp`;

const hash = () =>
  createHash('sha256')
    .update(readFileSync(`${root}/prisma/schema.prisma`))
    .update(readFileSync(`${root}/node_modules/prisma/package.json`))
    .digest('hex');

export const isGenerated = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === hash();

export function generate() {
  if (isGenerated()) return;
  execFileSync(process.execPath, ['node_modules/prisma/build/index.js', 'generate'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PRISMA_HIDE_UPDATE_MESSAGE: '1' },
  });
  writeFileSync(stamp, hash());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) generate();
