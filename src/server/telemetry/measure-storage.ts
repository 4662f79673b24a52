import type { BlobStore } from '../../core/context/storage.ts';
import type { Telemetry } from '../../core/context/telemetry.ts';
import { BlobMissingError, BlobTooLargeError } from '../../core/context/storage.ts';
import { codeOf } from '../../core/errors.ts';

/** Names under which calls of a storage are counted. */
export const storageActions = ['stage', 'put', 'get', 'stat', 'delete'] as const;
type StorageAction = (typeof storageActions)[number];

/**
 * The same storage with its calls counted. Missing objects and the caller's own faults do not count as failures of the
 * storage.
 */
export function measureStorage(store: BlobStore, telemetry: Telemetry): BlobStore {
  const count = async <T>(action: StorageAction, call: Promise<T>): Promise<T> => {
    try {
      const value = await call;
      telemetry.storage(action, false);
      return value;
    } catch (error) {
      telemetry.storage(action, isFailure(action, error));
      throw error;
    }
  };
  return {
    ...store,
    stage: (body, options) => count('stage', store.stage(body, options)),
    put: (staged, key) => count('put', store.put(staged, key)),
    readInto: (key, target, position) => count('get', store.readInto(key, target, position)),
    stat: (key) => count('stat', store.stat(key)),
    delete: (key) => count('delete', store.delete(key)),
    async *get(key, range) {
      try {
        yield* store.get(key, range);
        telemetry.storage('get', false);
      } catch (error) {
        telemetry.storage('get', isFailure('get', error));
        throw error;
      }
    },
  };
}

/** Whether the storage is at fault: only while bytes are staged they come from a client, who may go. */
function isFailure(action: StorageAction, error: unknown): boolean {
  return action === 'stage'
    ? !(error instanceof BlobTooLargeError) && !isAbort(error)
    : !(error instanceof BlobMissingError);
}

function isAbort(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.name === 'AbortError' ||
      /^(ECONNRESET|ERR_STREAM_PREMATURE_CLOSE)$/.test(codeOf(error) ?? ''))
  );
}
