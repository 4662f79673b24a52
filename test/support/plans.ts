import { vi } from 'vitest';
import type { Database } from '../../src/core/database/db.ts';
import { readsOn } from '../../src/core/database/replicas/reads.ts';
import type { Param } from '../../src/core/wire/wire.ts';
import type { TestApp } from './app.ts';

export interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Relation Name'?: string;
  Plans?: Plan[];
}

interface Sent {
  text: string;
  values: readonly Param[];
}

/** The statements by which requests read while `work` is done. */
export async function readsDuring(app: TestApp, work: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = [];
  const within = vi.spyOn(app.services.reads, 'within').mockImplementation((signal) => {
    const inner = app.services.db.within(signal);
    const { read } = inner;
    return readsOn(
      Object.assign(inner, {
        read: (sql: string, params: readonly Param[]) => {
          sent.push({ text: sql, values: params });
          return read.call(inner, sql, params);
        },
      }),
    );
  });
  try {
    await work();
  } finally {
    within.mockRestore();
  }
  return sent;
}

/** How PostgreSQL goes about a statement. It plans without the values, as it does for the gateway. */
export function planOf(db: Database, { text, values }: Sent): Promise<Plan> {
  return db.transaction(async (_, tx) => {
    await tx.rows('SET LOCAL plan_cache_mode = force_generic_plan', []);
    await tx.rows(`PREPARE planned AS ${text}`, []);
    const given = values.map(literal);
    const execute = `EXECUTE planned${given.length > 0 ? ` (${given.join()})` : ''}`;
    const [row] = await tx.rows(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${execute}`, []);
    await tx.rows('DEALLOCATE planned', []);
    const [{ Plan }] = JSON.parse(String(row?.[0])) as [{ Plan: Plan }];
    return Plan;
  });
}

const isList = (value: Param): value is Extract<Param, readonly unknown[]> => Array.isArray(value);

function literal(value: Param): string {
  if (value === null) return 'NULL';
  if (value instanceof Date) return literal(value.toISOString());
  if (isList(value)) return literal(`{${value.map((item) => JSON.stringify(item)).join()}}`);
  return `'${value.toString()}'`;
}

/** Rows that the leaves of a plan read, of one table if it is named. */
export function rowsRead({ Plans = [], ...plan }: Plan, table?: string): number {
  if (Plans.length > 0) return Plans.reduce((sum, child) => sum + rowsRead(child, table), 0);
  if (table !== undefined && plan['Relation Name'] !== table) return 0;
  return (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
}
