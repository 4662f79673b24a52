import { ConfigError } from '../../core/context/config.ts';
import { AppError } from '../../core/errors.ts';
import { FolderInUseError } from '../../core/database/folder-lock.ts';
import { StorageFullError, StorageMissingError } from '../../core/context/storage.ts';
import { BackupPlaceError, DamagedBackupError } from '../../storage/backup-format.ts';
import { CocoError } from '../../dataset-management/projects/coco/coco-error.ts';
import { ImportError } from '../../import/import-error.ts';
import { StorageFaultError } from './storage-fault.ts';
import { UsageError } from './usage-error.ts';

/** Exit codes that scripts may rely on. */
export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  failure: { code: 1, meaning: 'failed' },
  usage: { code: 2, meaning: 'wrong arguments or environment' },
  input: { code: 3, meaning: 'invalid input data; nothing of that file was stored' },
  inUse: { code: 4, meaning: 'the data folder is in use by another process' },
} as const;

/** The exit code of a failed command and the message to print; it includes a stack only for unexpected errors. */
export function explainFailure(error: unknown): { code: number; message: string } {
  if (
    error instanceof ConfigError ||
    error instanceof UsageError ||
    error instanceof BackupPlaceError ||
    error instanceof StorageMissingError
  )
    return { code: exitCodes.usage.code, message: error.message };
  if (error instanceof DamagedBackupError)
    return { code: exitCodes.input.code, message: error.message };
  if (error instanceof ImportError || error instanceof CocoError)
    return { code: exitCodes.input.code, message: error.message };
  if (error instanceof StorageFaultError || error instanceof StorageFullError)
    return { code: exitCodes.failure.code, message: error.message };
  if (error instanceof FolderInUseError)
    return { code: exitCodes.inUse.code, message: error.message };
  return { code: exitCodes.failure.code, message: `error: ${describe(error)}` };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AppError) return error.message;
  // A host name with several addresses fails with one error for each.
  const causes: unknown[] = error instanceof AggregateError ? error.errors : [error];
  const cause = causes[0];
  if (
    cause instanceof Error &&
    'code' in cause &&
    cause.code === 'EADDRINUSE' &&
    'port' in cause &&
    'address' in cause
  ) {
    return `port ${String(cause.port)} of ${String(cause.address)} is taken: stop the process that listens there, or choose another PORT (METRICS_PORT, if it is that of the metrics)`;
  }
  // The system, PostgreSQL and its driver give a code to the errors that they expect.
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string')
    return cause.message === '' ? cause.code : cause.message;
  return error.stack ?? error.message;
}
