import type pg from 'pg';
import { SharedRoundTrip } from './shared-round-trip.ts';
import { TextQuery } from './text-query.ts';
import { TransactionOverError } from './transaction-over-error.ts';
import type { OnStatement, Param, TransactionStatements } from './types.ts';
import type { WireRow } from './wire-row.ts';

/**
 * The statements of a transaction on a connection of a RowClient: BEGIN is sent together with the first of them, and
 * COMMIT together with the last, which saves two of the round trips during which others wait for its locks and its
 * connection. If a statement fails, those behind it are not run: nothing is committed.
 */
export function transactionStatements(
  client: pg.ClientBase,
  options: { prepares: boolean; onStatement: OnStatement | undefined },
  onFailure: () => void,
): TransactionStatements {
  const make = (text: string, values: readonly Param[]): TextQuery =>
    new TextQuery({ text, values, ...options });
  let [begun, ended] = [false, false];
  /** While the last statements are collected. */
  let closing: ((last: Last) => void) | undefined;

  const send = (queries: readonly TextQuery[]): Promise<WireRow[][]> =>
    new Promise<WireRow[][]>((resolve, reject) => {
      if (ended) return reject(new TransactionOverError());
      const all = begun ? queries : [make('BEGIN', []), ...queries];
      begun = true;
      const answers: WireRow[][] = [];
      const answered: TextQuery['callback'] = (error, rows = []) => {
        if (!error) answers.push(rows);
      };
      for (const query of all) query.callback = answered;
      const trip = new SharedRoundTrip(all);
      const tripEnded: SharedRoundTrip['callback'] = (error) => {
        if (!error) return resolve(answers.slice(all.length - queries.length));
        trip.current?.handleError(error);
        onFailure();
        reject(error);
      };
      trip.callback = tripEnded;
      client.query(trip);
    });
  const run = (text: string, values: readonly Param[]): Promise<WireRow[]> => {
    const query = make(text, values);
    const collect = closing;
    if (collect) return new Promise((...settle) => collect({ query, settle }));
    return send([query]).then(([rows = []]) => rows);
  };

  const sendLast = async (collected: readonly Last[]): Promise<void> => {
    try {
      const sent = send([...collected.map(({ query }) => query), make('COMMIT', [])]);
      ended = true;
      const answers = await sent;
      collected.forEach(({ settle: [resolve] }, index) => resolve(answers[index] ?? []));
    } catch (error) {
      for (const { settle } of collected) settle[1](error);
      throw error;
    }
  };

  return {
    hasBegun: () => begun,
    rows: async (text, values) => (await run(text, values)).map(({ cells }) => cells),
    read: run,
    begin: async () => {
      if (!begun || ended) await send([]);
    },
    async commit(last) {
      const collected: Last[] = [];
      const requested = new Promise<void>((resolve) => {
        closing = (statement) => {
          collected.push(statement);
          resolve();
        };
      });
      const result = last();
      await Promise.race([requested, result]);
      closing = undefined;
      if (begun || collected.length > 0) await Promise.all([sendLast(collected), result]);
    },
    end: () => void (ended = true),
  };
}

interface Last {
  query: TextQuery;
  settle: Settle;
}
type Settle = [resolve: (rows: WireRow[]) => void, reject: (reason: unknown) => void];
