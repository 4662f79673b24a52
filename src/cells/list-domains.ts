import type { Database } from '../core/database/db.ts';

/** The domains of the database, with whether they are in use. */
export async function listDomains({
  prisma,
}: Pick<Database, 'prisma'>): Promise<{ id: number; name: string; state: string }[]> {
  return prisma.domain.findMany({
    select: { id: true, name: true, state: true },
    orderBy: { id: 'asc' },
  });
}
