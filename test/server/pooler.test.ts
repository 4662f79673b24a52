import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/core/database/db.ts';
import { freshDatabase } from '../support/app.ts';
import { hasServer } from '../support/migrated.ts';

const NAMED = 'SELECT name FROM pg_prepared_statements';

it.runIf(hasServer())(
  'behind what does not follow its clients no statement has a name, and nothing of the question stays',
  async () => {
    const database = await freshDatabase();
    if (database.kind !== 'server') throw new Error('no server');
    const settings = [
      'timezone=UTC',
      'statement_timeout=15000',
      'idle_in_transaction_session_timeout=60000',
    ];
    const url = new URL(database.url);
    url.searchParams.set('options', settings.map((setting) => `-c ${setting}`).join(' '));
    // The server itself in the place of a pooler that sends names on as they are.
    const behind = await openDatabase({
      database: { ...database, url: url.href, directUrl: database.url, poolSize: 1 },
    });
    const direct = await openDatabase({ database: { ...database, poolSize: 1 } });
    try {
      for (const db of [behind, direct])
        // Other tests may have used up the names: then a text gets one when it comes again.
        for (let time = 0; time < 3; time++) {
          await db.rows('SELECT 1 AS one', []);
          await db.rows('SELECT 2 AS two', []);
          await db.prisma.dept.findFirst({ select: { id: true } });
        }
      const names = (db: typeof direct): Promise<pg.QueryResult> => db.pool.query(NAMED);
      expect((await names(behind)).rows).toEqual([]);
      expect((await names(direct)).rows.length).toBeGreaterThan(1);
    } finally {
      await Promise.all([behind.close(), direct.close()]);
    }
  },
);

it.runIf(hasServer())(
  'tells the settings that a role without them needs, those of docs/scaling.md and of deploy/patroni/role.sql',
  async () => {
    const database = await freshDatabase();
    if (database.kind !== 'server') throw new Error('no server');
    const user = decodeURIComponent(new URL(database.url).username);
    const settingsIn = (text: string): string[] =>
      [...text.matchAll(/ALTER ROLE \S+ SET (.+?);/g)].map(([, setting = '']) => setting);
    const refusal: unknown = await openDatabase({
      database: { ...database, directUrl: database.url, poolSize: 1 },
    }).catch((error: unknown) => error);
    const told = settingsIn(String(refusal));
    expect(told.length).toBeGreaterThan(9);
    expect(String(refusal)).toContain(`ALTER ROLE ${user} SET timezone = 'UTC';`);
    for (const file of ['docs/scaling.md', 'deploy/patroni/role.sql'])
      expect(settingsIn(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'))).toEqual(
        told,
      );
  },
);
