import type { Statements } from '../wire/wire.ts';

/**
 * Settings of a database session. Plans are made without the values, once for each connection: for our statements they
 * are as good as those made with the values, or nearly so, and to make one takes as long as to read a page. What is
 * looked up for each row of a list is not kept for the next one (Memoize), which has another key: that would cost a tenth
 * of a page.
 */
export const PLAN_SETTINGS = ['plan_cache_mode=force_generic_plan', 'enable_memoize=off'];

/**
 * What statements rely on, as PostgreSQL has it by itself; a role or a database may have changed it. Prisma names the
 * schema `public` in whatever it sends.
 */
export const RELIED_ON = [
  ...['search_path=public', 'DateStyle=ISO, MDY', 'bytea_output=hex'],
  'default_transaction_isolation=read committed',
];

/** How SQL sets one of them, after `SET`. */
export const settingOf = (setting: string): string => `${setting.replace('=', " = '")}'`;

/**
 * Has the connection of a transaction plan its statements again, with the present sizes of tables: those that it fills may
 * have been empty when they were planned, and would be read whole each time.
 */
export async function planAgain(tx: Pick<Statements, 'rows'>): Promise<void> {
  await tx.rows('DISCARD PLANS', []);
}
