// Generates the Prisma client when prisma/schema.prisma or Prisma itself changed since the last time, and the scripts of pages when theirs did; else does nothing, so that a start stays fast.
// Calls Prisma's generator as its command line does, which is 100 MB and is not installed for this.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { arePageScriptsCurrent, makePageScripts } from './page-scripts.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const schema = `${root}/prisma/schema.prisma`;
const installed = `${root}/node_modules/@prisma/client-generator-ts/package.json`;
const stamp = `${root}/src/generated/prisma/.stamp`;

const hash = () =>
  createHash('sha256').update(readFileSync(schema)).update(readFileSync(installed)).digest('hex');

const isClientCurrent = () =>
  existsSync(installed) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash();

export const isGenerated = () => isClientCurrent() && arePageScriptsCurrent();

/** In a process of its own, so that a gateway that is started next does not keep what was loaded for this. */
export function generate() {
  if (!isGenerated())
    execFileSync(process.execPath, [fileURLToPath(import.meta.url)], { stdio: 'inherit' });
}

async function run() {
  if (!existsSync(installed)) throw new Error('Packages are missing or old: run npm ci first.');
  // Their modules for `import` don't load in Node.
  const require = createRequire(import.meta.url);
  const { enginesVersion } = require('@prisma/engines-version');
  const { PrismaClientTsGenerator } = require('@prisma/client-generator-ts');
  const { getGenerators, loadSchemaContext } = require('@prisma/internals');
  const [generator] = await getGenerators({
    schemaContext: await loadSchemaContext({
      schemaPath: { cliProvidedPath: schema },
      printLoadMessage: false,
    }),
    registry: {
      'prisma-client': { type: 'in-process', generator: new PrismaClientTsGenerator() },
    },
    version: enginesVersion,
    skipDownload: true,
    cliCommand: 'generate',
  });
  await generator.generate();
  generator.stop();
  writeFileSync(stamp, hash());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!isClientCurrent()) await run();
  if (!arePageScriptsCurrent()) await makePageScripts();
}
