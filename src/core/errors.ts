import { errorCatalogue, type LegacyCode } from './error-catalogue.ts';

export interface AppErrorOptions {
  message?: string;
  /** Text for GraphQL, in the names of its arguments and values, where the documented text has those of REST. */
  inGraphQL?: string | undefined;
  /** HTTP status when it differs from the catalogue's, e.g. 415 for E903. */
  status?: number;
  /** GraphQL `extensions.code` when it differs from the catalogue's. */
  graphqlCode?: string;
  /** Reply headers, e.g. Retry-After. */
  headers?: Record<string, string>;
  cause?: unknown;
}

export const isLegacyCode = (code: string): code is LegacyCode =>
  Object.hasOwn(errorCatalogue, code);

/** An expected failure, whose text is shown to the client. Any other error is masked (E302) and logged. */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: LegacyCode;
  readonly inGraphQL: string;
  readonly status: number;
  readonly graphqlCode: string;
  readonly headers: Record<string, string>;

  constructor(code: LegacyCode, options: AppErrorOptions = {}) {
    const row = errorCatalogue[code];
    super(
      options.message ?? row.message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.inGraphQL = options.inGraphQL ?? this.message;
    this.status = options.status ?? row.status;
    this.graphqlCode = options.graphqlCode ?? row.graphql;
    this.headers = options.headers ?? {};
  }
}

/** What the system, the database or a library calls a failure, such as ENOENT or 55P03; undefined where it has no code. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

/** Something that the gateway needs does not answer: 503, and after so many seconds the client may try again. */
export function unavailable(message: string, retryAfter: string, cause: unknown): AppError {
  return new AppError('E302', {
    status: 503,
    message,
    graphqlCode: 'SERVICE_UNAVAILABLE',
    headers: { 'retry-after': retryAfter },
    cause,
  });
}

/** So many requests wait for the database that this one was given up: 503, also where D-60 knows no other. */
export class DatabaseBusyError extends AppError {
  override name = 'DatabaseBusyError';

  constructor(cause: unknown) {
    super('E302', {
      status: 503,
      message: 'Too many requests are waiting for the database: try again',
      graphqlCode: 'SERVICE_UNAVAILABLE',
      headers: { 'retry-after': '2' },
      cause,
    });
  }
}

/** What PostgreSQL says where a trigger refuses a write to a domain that takes none; the migration uses the same. */
export const DOMAIN_CLOSED = 'TR503';

/** The domain is being moved or deleted: 503, until it is open again, here or where it goes, or gone. */
export function domainClosed(cause?: unknown): AppError {
  return unavailable(
    'This domain is being moved or deleted: try again in a few seconds',
    '3',
    cause,
  );
}

export interface FieldProblem {
  /** Names of input fields, outermost first. */
  path: string[];
  message: string;
  /** Text for GraphQL, if REST has another one. */
  inGraphQL?: string;
  /** Stable machine code, e.g. TOO_LONG. */
  code: string;
}

/** A body that arrived in a form that is not understood; `headers` may tell which would be. */
export function unsupportedMediaType(
  message: string,
  headers: Record<string, string> = {},
): AppError {
  const graphqlCode = 'UNSUPPORTED_MEDIA_TYPE';
  return new AppError('E903', { status: 415, message, graphqlCode, headers });
}

/** Rejected input of a write; lists every problem at once. GraphQL type ValidationError. */
export class ValidationError extends AppError {
  override name = 'ValidationError';
  readonly problems: FieldProblem[];

  constructor(problems: FieldProblem[], message = joined(problems, (problem) => problem.message)) {
    super('E900', {
      message,
      inGraphQL: problems.some(({ inGraphQL }) => inGraphQL !== undefined)
        ? joined(problems, (problem) => problem.inGraphQL ?? problem.message)
        : message,
      graphqlCode: 'VALIDATION_ERROR',
    });
    this.problems = problems;
  }
}

/** Rejected input of a write, for what is wrong with one of its fields. */
export function invalidField(field: string, message: string, code: string): ValidationError {
  return new ValidationError([{ path: ['input', field], message, code }]);
}

function joined(problems: FieldProblem[], textOf: (problem: FieldProblem) => string): string {
  return problems
    .map((problem) => [problem.path.join('.'), textOf(problem)].filter(Boolean).join(': '))
    .join('; ');
}

/** The object does not exist, or the viewer may not know that it does. GraphQL type NotFoundError. */
export class NotFoundError extends AppError {
  override name = 'NotFoundError';
  readonly entity: string;

  constructor(entity: string) {
    super('E404', { message: `${entity} not found` });
    this.entity = entity;
  }
}

/** The viewer may see the object but not do this with it. GraphQL type ForbiddenError. */
export class ForbiddenError extends AppError {
  override name = 'ForbiddenError';

  constructor(message: string) {
    super('E900', { message, status: 403, graphqlCode: 'FORBIDDEN' });
  }
}

/** Somebody else changed the object first. GraphQL type ConflictError. */
export class ConflictError extends AppError {
  override name = 'ConflictError';
  readonly currentVersion: number;

  constructor(currentVersion: number) {
    super('E900', {
      message: `The object has changed: its version is ${currentVersion}`,
      status: 409,
      graphqlCode: 'CONFLICT',
    });
    this.currentVersion = currentVersion;
  }
}

/**
 * An idempotency key that can't be used now (409: its first request still runs) or for this request (422: it was used
 * for another one) (D-78). GraphQL type IdempotencyError.
 */
export class IdempotencyError extends AppError {
  override name = 'IdempotencyError';
  readonly retryAfterSeconds: number | null;

  constructor(fault: 'RUNNING' | 'REUSED') {
    super(
      'E900',
      fault === 'RUNNING'
        ? {
            message: 'The first request with this idempotency key is still running',
            status: 409,
            graphqlCode: 'IDEMPOTENCY_KEY_RUNNING',
            headers: { 'retry-after': '1' },
          }
        : {
            message: 'This idempotency key came with another request before',
            status: 422,
            graphqlCode: 'IDEMPOTENCY_KEY_REUSED',
          },
    );
    this.retryAfterSeconds = fault === 'RUNNING' ? 1 : null;
  }
}
