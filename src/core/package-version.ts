import { readFileSync } from 'node:fs';
import { packageRoot } from './package-root.ts';

/** The version of the package. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(`${packageRoot}/package.json`, 'utf8')) as {
    version: string;
  };
  return version;
}
