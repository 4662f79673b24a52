import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, readProcess, thisProcess } from '../../core/running-process.ts';

/**
 * In the data folder while a gateway starts or stops, with the number of its process: it serves no commands then, and wants the
 * folder to itself.
 */
const MARK = /^control\.wait\.\d+$/;
const own = (dataDir: string): string => join(dataDir, `control.wait.${process.pid}`);

/** Tells commands to wait: this gateway will soon serve them, or be gone. Where no file can be written, they are not told. */
export function mark(dataDir: string): void {
  try {
    for (const name of readdirSync(dataDir).filter((name) => MARK.test(name)))
      if (!isOfLivingProcess(join(dataDir, name))) rmSync(join(dataDir, name), { force: true });
    writeFileSync(own(dataDir), thisProcess(), { mode: 0o600 });
  } catch {
    // On a full disk, a gateway must stop all the same.
  }
}

/** Takes it back. What can't be removed is of no effect once this process has ended. */
export function unmark(dataDir: string): void {
  try {
    rmSync(own(dataDir), { force: true });
  } catch {
    // As above.
  }
}

/** Whether a gateway on this data folder starts or stops; one that was killed meanwhile does not. */
export function isMarked(dataDir: string): boolean {
  try {
    return readdirSync(dataDir).some(
      (name) => MARK.test(name) && isOfLivingProcess(join(dataDir, name)),
    );
  } catch {
    return false;
  }
}

function isOfLivingProcess(file: string): boolean {
  const gateway = readProcess(file);
  return gateway !== undefined && isAlive(gateway);
}
