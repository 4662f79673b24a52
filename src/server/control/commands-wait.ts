import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../../core/files/private-folder.ts';
import { isAlive, readProcess, thisProcess } from '../../core/running-process.ts';

/** In the data folder while a gateway starts or stops: it holds the folder, and serves no commands. */
const file = (dataDir: string): string => join(dataDir, 'control.wait');

/** Starts or stops a gateway on a data folder. Meanwhile commands know that it will soon serve them, or be gone. */
export async function whileCommandsWait<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  makePrivateFolder(dataDir);
  writeFileSync(file(dataDir), thisProcess(), { mode: 0o600 });
  try {
    return await work();
  } finally {
    rmSync(file(dataDir), { force: true });
  }
}

/** Whether a gateway on this data folder starts or stops; one that was killed meanwhile does not. */
export function shouldWait(dataDir: string): boolean {
  const gateway = readProcess(file(dataDir));
  return gateway !== undefined && isAlive(gateway);
}
