import { AsyncResource } from 'node:async_hooks';
import type pg from 'pg';
import type { OnStatement } from './types.ts';

type Call = (...args: unknown[]) => unknown;

/**
 * Observes the statements of a pool that are not a TextQuery: those of transactions and of Prisma. Each begins in the
 * async context of its sender, even when it had to wait for a connection.
 */
export function watchStatements(pool: pg.Pool, onStatement: OnStatement): void {
  // The many overloads of `connect` and `query` can't be typed here: arguments are passed on unchanged.
  const watched = pool as unknown as { connect: Call };
  const connect = watched.connect.bind(pool);
  watched.connect = (callback) => {
    if (typeof callback !== 'function') return connect();
    // On Node 20, AsyncResource.bind takes some tens of times as long.
    const sender = new AsyncResource('trivium.connect');
    return connect((...args: unknown[]) =>
      sender.runInAsyncScope(callback as Call, undefined, ...args),
    );
  };
  pool.on('connect', (client) => watchClient(client, onStatement));
}

function watchClient(client: pg.ClientBase, onStatement: OnStatement): void {
  const watched = client as unknown as { query: Call };
  const query = watched.query.bind(client);
  watched.query = (...args) => {
    if (tellsItself(args[0])) return query(...args);
    const ended = onStatement(textOf(args[0]))();
    const last = args.length - 1;
    const callback = args[last];
    if (typeof callback === 'function') {
      args[last] = (error: unknown, result: unknown): void => {
        ended(Boolean(error));
        (callback as Call)(error, result);
      };
      return query(...args);
    }
    const answer = query(...args);
    if (answer instanceof Promise) {
      answer.then(
        () => ended(false),
        () => ended(true),
      );
    }
    return answer;
  };
}

function tellsItself(query: unknown): boolean {
  return typeof query === 'object' && query !== null && 'submit' in query;
}

function textOf(query: unknown): string {
  if (typeof query === 'string') return query;
  return typeof query === 'object' &&
    query !== null &&
    'text' in query &&
    typeof query.text === 'string'
    ? query.text
    : '';
}
