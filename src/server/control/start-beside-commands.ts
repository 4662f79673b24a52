import { setTimeout as sleep } from 'node:timers/promises';
import { FolderInUseError, isLocked } from '../../core/database/folder-lock.ts';
import { makePrivateFolder } from '../../core/files/private-folder.ts';
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
  makePrivateFolder(dataDir);
  mark(dataDir);
  const until = performance.now() + PATIENCE;
  try {
    for (;;) {
      try {
        return await start();
      } catch (error) {
        if (!(error instanceof FolderInUseError)) throw error;
        for (; isLocked(dataDir); await sleep(50)) {
          stop?.throwIfAborted();
          const runs = askGateway(dataDir, 'greet', {}).catch(() => true);
          if (performance.now() > until || (await runs)) throw error;
        }
      }
    }
  } finally {
    unmark(dataDir);
  }
}
