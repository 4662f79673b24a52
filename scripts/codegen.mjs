// Types the client's documents (codegen.ts) when the schema, a document, codegen.ts or the generator changed since the last time; else does nothing.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = 'src/generated/client';
const stamp = join(folder, '.stamp');
const documents = readdirSync('test/client', { recursive: true })
  .map((name) => join('test/client', String(name)))
  .filter((name) => name.endsWith('.ts'))
  .sort();
const sources = [
  'schema.graphql',
  'codegen.ts',
  'node_modules/@graphql-codegen/client-preset/package.json',
  ...documents,
];
const hash = createHash('sha256');
for (const source of sources) hash.update(source).update(readFileSync(source));
const digest = hash.digest('hex');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/@graphql-codegen/cli/esm/bin.js', '--config', 'codegen.ts'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if (status !== 0) process.exit(1);
  mkdirSync(folder, { recursive: true });
  writeFileSync(stamp, digest);
}
