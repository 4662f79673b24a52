import { ConfigError } from '../../core/context/config.ts';
import { AppError, codeOf } from '../../core/errors.ts';
import { CellNumberError } from '../../core/database/copy/number-keys.ts';
import { lostConnection } from '../../core/failures/to-app-error.ts';
import { FolderInUseError } from '../../core/database/folder-lock.ts';
import { OtherOwnerError } from '../../core/database/folder-owner.ts';
import { InterruptedRestoreError } from '../../core/database/restored-folder.ts';
import {
  StorageBusyError,
  StorageFullError,
  StorageMissingError,
} from '../../core/context/storage.ts';
import { isFull } from '../../storage/tell-full.ts';
import { BackupPlaceError, DamagedBackupError } from '../../storage/backup-format.ts';
import { RefusedAnnotationsError } from '../../dataset-management/annotation-import/source/import-faults.ts';
import { DamagedDomainFileError } from '../../cells/archive/domain-file.ts';
import { GatewayFailedError } from '../../server/control/ask-gateway.ts';
import { ImportError } from '../../import/import-error.ts';
import { explainFileFault } from './explain-file-fault.ts';
import { StorageFaultError } from './storage-fault.ts';
import { RefusedFileError } from '../../server/control/refused-file-error.ts';
import { ArchiveError, GatewayError, WrongKeyError } from '../../sdk/e2ee.ts';
import { ProblemsError } from './problems-error.ts';
import { UsageError } from './usage-error.ts';

/** Exit codes, and names of errors, that scripts may rely on. */
export const exitCodes = {
  ok: { code: 0, name: 'OK', meaning: 'done' },
  failure: { code: 1, name: 'FAILURE', meaning: 'failed' },
  usage: {
    code: 2,
    name: 'USAGE',
    meaning: 'wrong arguments or environment, or what they name does not exist or is not allowed',
  },
  input: {
    code: 3,
    name: 'INPUT',
    meaning: 'invalid input data; nothing of that file was stored',
  },
  inUse: { code: 4, name: 'IN_USE', meaning: 'the data folder is in use by another process' },
} as const;

export interface Failure {
  exit: (typeof exitCodes)[keyof typeof exitCodes];
  /** What to print; it includes a stack only for unexpected errors. */
  message: string;
  /** More about it, for programs. */
  details?: object;
}

/** How a command failed. */
export function explainFailure(error: unknown): Failure {
  if (
    error instanceof ImportError ||
    error instanceof RefusedAnnotationsError ||
    error instanceof RefusedFileError ||
    error instanceof ProblemsError
  ) {
    const { message, problems, total } = error;
    return { exit: exitCodes.input, message, details: { problems, total } };
  }
  if (
    error instanceof DamagedBackupError ||
    error instanceof DamagedDomainFileError ||
    error instanceof ArchiveError
  )
    return { exit: exitCodes.input, message: error.message };
  if (error instanceof FolderInUseError) return { exit: exitCodes.inUse, message: error.message };
  if (isUsageFault(error)) return { exit: exitCodes.usage, message: ofArguments(error.message) };
  const fileFault = explainFileFault(error);
  if (fileFault !== undefined)
    return { exit: isFull(error) ? exitCodes.failure : exitCodes.usage, message: fileFault };
  if (error instanceof StorageFaultError || error instanceof StorageFullError)
    return { exit: exitCodes.failure, message: error.message };
  return { exit: exitCodes.failure, message: `error: ${describe(error)}` };
}

/** Names fields of an input as those of arguments: a command has no `input` in which they are. */
const ofArguments = (message: string): string => message.replace(/(^|; )input\./g, '$1');

function isUsageFault(error: unknown): error is Error {
  return (
    error instanceof ConfigError ||
    error instanceof CellNumberError ||
    error instanceof UsageError ||
    error instanceof WrongKeyError ||
    error instanceof GatewayError ||
    error instanceof BackupPlaceError ||
    error instanceof InterruptedRestoreError ||
    error instanceof OtherOwnerError ||
    error instanceof StorageMissingError ||
    (error instanceof AppError && error.status < 500)
  );
}

/** What Node says of the certificate of a server. */
const isOfCertificate = /CERT|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/;

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (
    error instanceof AppError ||
    error instanceof GatewayFailedError ||
    error instanceof StorageBusyError
  )
    return error.message;
  // A host name with several addresses fails with one error for each.
  const causes: unknown[] = error instanceof AggregateError ? error.errors : [error];
  const cause = causes[0];
  if (cause instanceof Error && /^unsupported startup parameter/.test(cause.message))
    return 'DATABASE_URL leads to a pooler: set DATABASE_DIRECT_URL to the server itself (docs/scaling.md)';
  // The system, PostgreSQL and its driver give a code to the errors that they expect.
  const code = codeOf(cause);
  if (cause instanceof Error && isOfCertificate.test(code ?? ''))
    return `a certificate is not accepted: ${cause.message}; for that of PostgreSQL see DATABASE_URL in docs/configuration.md`;
  if (cause instanceof Error && code) return cause.message === '' ? code : cause.message;
  if (/^SASL: .* password must be/.test(error.message))
    return 'PostgreSQL asks for a password, and DATABASE_URL has none';
  if (/SSL connection|^SASL: /.test(error.message))
    return `DATABASE_URL (its sslmode or password) does not suit PostgreSQL: ${error.message}`;
  if (lostConnection.test(error.message))
    return `the connection to the database was lost: ${error.message}`;
  return error.stack ?? error.message;
}
