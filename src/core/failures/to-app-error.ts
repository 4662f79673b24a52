import { AppError, codeOf, DatabaseBusyError, unavailable } from '../errors.ts';
import { BusyError } from '../turns/limit-waiting.ts';
import { ResultTooLargeError } from '../wire/wire.ts';
import { StorageBusyError, StorageFullError } from '../context/storage.ts';

/**
 * Turns any error into an expected failure. An unexpected one becomes E302, with 503 when the database or the storage
 * is unreachable or full.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof BusyError)
    return new AppError('E900', {
      status: 503,
      message: 'Too many requests are waiting for this: try again',
      graphqlCode: 'TIMEOUT',
      headers: { 'retry-after': '15' },
      cause: error,
    });
  if (error instanceof ResultTooLargeError)
    return new AppError('E900', {
      message: 'The answer would have more than 128 MiB: ask for smaller pages',
      cause: error,
    });
  if (error instanceof StorageFullError) return unavailable('The storage is full', '60', error);
  if (isWaitedOut(error)) return new DatabaseBusyError(error);
  if (isTooManyFiles(error)) return unavailable('Too many files are open: try again', '2', error);
  if (isOutOfReach(error))
    return unavailable('The database or the storage is not available: try again', '2', error);
  if (isInTheWay(error))
    return unavailable('Another write was in the way of this one: try again', '1', error);
  return new AppError('E302', { cause: error });
}

/**
 * Whether what failed may succeed when it is tried again: the database or the storage was out of reach, another write
 * in the way, or too many files open.
 */
export function isPassing(error: unknown): boolean {
  return isOutOfReach(error) || isInTheWay(error) || isTooManyFiles(error);
}

/** What PostgreSQL's driver says, without a code, of a connection that ends or does not come. */
export const lostConnection =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error/;

/**
 * Two writes waited for each other, or one can't follow the other, and this one was undone; or it waited for longer
 * than the `lock_timeout` of a role or database.
 */
export const isInTheWay = (error: unknown): boolean => hasCode(error, /^(40001|40P01|55P03)$/);

/** Every connection was in use for as long as a request waits for one, or the server has none left (53300). */
function isWaitedOut(error: unknown): boolean {
  if (hasCode(error, /^53300$/)) return true;
  for (let current = error; current instanceof Error; current = current.cause)
    if (current.message === 'timeout exceeded when trying to connect') return true;
  return false;
}

/** The process, or the machine, has as many files and connections open as it may. */
const isTooManyFiles = (error: unknown): boolean => hasCode(error, /^(EMFILE|ENFILE)$/);

function hasCode(error: unknown, codes: RegExp): boolean {
  for (let current = error; current instanceof Error; current = current.cause)
    if (codes.test(codeOf(current) ?? '')) return true;
  return false;
}

/**
 * SQLSTATE classes and socket codes that mean "temporarily unavailable": no connection, shutting down, too many
 * connections, cancelled by a timeout, no primary any more (25006), a file that can't be read, or what waits for whoever
 * runs the database: the login, the database or the rights of the gateway (42501) were taken away. Likewise a disk that
 * was mounted read-only or lost its device, or a folder that lost its rights.
 */
function isOutOfReach(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    const code = codeOf(current) ?? '';
    if (
      /^(08|28|3D|53|57|58|25006|42501)/.test(code) ||
      /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EROFS|EACCES|EIO|ESTALE)$/.test(code) ||
      current.name === 'TimeoutError' ||
      current instanceof StorageBusyError
    )
      return true;
    if (lostConnection.test(current.message)) return true;
    if ('errors' in current && Array.isArray(current.errors) && current.errors.some(isOutOfReach))
      return true;
  }
  return false;
}
