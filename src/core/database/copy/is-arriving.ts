import type { Database } from '../db.ts';

/**
 * Whether a domain is coming from another database: then no job deletes rows or files by their age, because what changed since
 * the first export is still to come and counts on them.
 */
export async function isArriving({ prisma }: Pick<Database, 'prisma'>): Promise<boolean> {
  return (await prisma.domain.count({ where: { state: 'ARRIVING' } })) > 0;
}
