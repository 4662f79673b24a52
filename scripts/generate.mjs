// Generates the Prisma client when prisma/schema.prisma or Prisma itself changed since the last time; else does nothing, so that a start stays fast.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const stamp = 'src/generated/prisma/.stamp';
const hash = createHash('sha256')
  .update(readFileSync('prisma/schema.prisma'))
  .update(readFileSync('node_modules/prisma/package.json'))
  .digest('hex');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== hash) {
  execFileSync(process.execPath, ['node_modules/prisma/build/index.js', 'generate'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PRISMA_HIDE_UPDATE_MESSAGE: '1' },
  });
  writeFileSync(stamp, hash);
}
