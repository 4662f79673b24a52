import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json, from wherever this file was compiled to. */
export const packageRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

function findRoot(folder: string): string {
  const above = dirname(folder);
  return above === folder || existsSync(`${folder}/package.json`) ? folder : findRoot(above);
}
