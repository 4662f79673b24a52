import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from './package-root.ts';

/** A file to run as a thread or a process, and its arguments. */
export interface OwnProgram {
  file: URL;
  args: readonly string[];
}

/**
 * A program of the gateway's own, beside what was compiled. From the sources it is compiled first: Node 20 runs no
 * TypeScript.
 */
export function ownProgram(name: 'serve-pglite' | 'read-images'): OwnProgram {
  return extname(import.meta.url) === '.ts'
    ? { file: pathToFileURL(join(packageRoot, 'scripts/program.mjs')), args: [name] }
    : { file: new URL(`./${name}.js`, import.meta.url), args: [] };
}
