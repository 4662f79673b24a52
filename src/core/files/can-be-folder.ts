import { statSync } from 'node:fs';
import { codeOf } from '../errors.ts';

/** Whether a path is a folder, or can be made one: neither it nor what it lies in is a file. */
export function canBeFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    return codeOf(error) !== 'ENOTDIR';
  }
}
