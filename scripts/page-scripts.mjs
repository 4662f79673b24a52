// Compiles the scripts of pages (src/browser) for browsers into src/generated/page-scripts.ts, which the gateway serves.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = `${root}/src/generated/page-scripts.ts`;
const installed = `${root}/node_modules/esbuild/package.json`;

/** What the last one was made from, in its first line, with the hash of that. */
const FIRST_LINE = /^\/\/ (\S+) (.+)\n/;

const hashOf = (files) => {
  const hash = createHash('sha256').update(readFileSync(installed));
  for (const file of files) hash.update(file).update(readFileSync(`${root}/${file}`));
  return hash.digest('hex');
};

/** Is what was made last made from the files as they are now? */
export function arePageScriptsCurrent() {
  if (!existsSync(target)) return false;
  const [, hash, list] = FIRST_LINE.exec(readFileSync(target, 'utf8')) ?? [];
  if (hash === undefined) return false;
  const files = list.split(' ');
  return files.every((file) => existsSync(`${root}/${file}`)) && hashOf(files) === hash;
}

export async function makePageScripts() {
  const { build, stop } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/browser/datasets.ts'],
    write: false,
    metafile: true,
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  await stop();
  const files = Object.keys(metafile.inputs).sort();
  mkdirSync(`${root}/src/generated`, { recursive: true });
  const [{ text }] = outputFiles;
  writeFileSync(
    target,
    `// ${hashOf(files)} ${files.join(' ')}\n/** The script of /datasets. */\nexport const datasetsScript: string = ${JSON.stringify(text)};\n`,
  );
}
