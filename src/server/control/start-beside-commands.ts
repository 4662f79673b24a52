import { setTimeout as sleep } from 'node:timers/promises';
import { FolderInUseError, isLocked } from '../../core/database/folder-lock.ts';
import { makeDataFolder } from '../places/data-folder.ts';
import { askGateway } from './ask-gateway.ts';
import { mark, unmark } from './gateway-mark.ts';

/** Longest wait for whoever holds the folder, in milliseconds: most commands take a second or two. */
const PATIENCE = 10_000;

/**
 * Starts a gateway on a data folder. Commands wait meanwhile; the gateway waits for one that has the folder, and for another
 * gateway that stops, but not for one that runs. Throws FolderInUseError, whatever `start` throws, or the reason of `stop`.
 */
export async function startBesideCommands<T>(
  dataDir: string,
  start: () => Promise<T>,
  stop: AbortSignal | undefined,
): Promise<T> {
  await makeDataFolder(dataDir);
  mark(dataDir);
  const until = performance.now() + PATIENCE;
  try {
    for (let unheld = 0; ;) {
      try {
        return await start();
      } catch (error) {
        // Once it may have been given up just now; a lock of nobody that stays can't be taken over.
        if (!isLocked(dataDir)) unheld++;
        if (!(error instanceof FolderInUseError) || unheld > 1) throw error;
        if (!(await isLeft(dataDir, until, stop))) throw error;
      }
    }
  } finally {
    unmark(dataDir);
  }
}

/** Waits until nobody holds the folder; false if a gateway that runs does, or somebody for too long. */
async function isLeft(
  dataDir: string,
  until: number,
  stop: AbortSignal | undefined,
): Promise<boolean> {
  for (; isLocked(dataDir); await sleep(50)) {
    stop?.throwIfAborted();
    const left = until - performance.now();
    if (left < 0) return false;
    const runs = askGateway(dataDir, 'greet', {}).catch(() => true);
    if (await Promise.race([runs, sleep(left, true, { ref: false })])) return false;
  }
  return true;
}
