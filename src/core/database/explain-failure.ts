import {
  AppError,
  DOMAIN_CLOSED,
  NotFoundError,
  domainClosed,
  invalidField,
  type ValidationError,
} from '../errors.ts';

/** What PostgreSQL tells of a broken constraint. */
interface Violation {
  code: string;
  /** In the language of the server's `lc_messages`. */
  detail: string;
  table?: string;
  constraint?: string;
}

/**
 * What a client may be told of a statement that failed: a unique key that is taken, a row that is not there (any more).
 * Anything else is returned as it came. The one place where broken
 * constraints become errors of ours, for Prisma's calls and for statements of transactions.
 */
export function explainFailure(error: unknown, model?: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  if (error instanceof AppError) return error;
  if (error.code === DOMAIN_CLOSED) return domainClosed(error);
  if (error.code === 'P2025') return new NotFoundError(capitalised(model ?? 'row'));
  if (!isViolation(error)) return error;
  const [, key = '', columns = ''] = /^[^(]*(\((.+?)\)=\(.*\))/s.exec(error.detail) ?? [];
  const names = columns.replaceAll('"', '').split(', ');
  const column = camelCase(/(?<!\w)\w+(?=\)?$)/.exec(names.at(-1) ?? '')?.[0] ?? '');
  if (error.code === '23505') return refusal(column, 'is taken', 'TAKEN', error);
  // A foreign key is called by its own columns. When it keeps the row that it leads to, the detail has that row's.
  if (error.constraint !== [error.table, ...names, 'fkey'].join('_'))
    return refusal(column, 'is still in use', 'IN_USE', error);
  const table = /["«»]\s?(\w+)\s?["«»]/.exec(error.detail.replace(key, ''))?.[1] ?? '';
  return Object.assign(new NotFoundError(capitalised(camelCase(table))), { cause: error });
}

function refusal(field: string, message: string, code: string, cause: Error): ValidationError {
  return Object.assign(invalidField(field, message, code), { cause });
}

/** 23505: unique; 23503: foreign key. */
function isViolation(error: object): error is Violation & Error {
  return (
    'code' in error &&
    (error.code === '23505' || error.code === '23503') &&
    'detail' in error &&
    typeof error.detail === 'string'
  );
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
