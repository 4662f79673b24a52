import { tellObject, type Acting } from '../../../core/context/act.ts';
import type { Services } from '../../../core/context/context.ts';
import { MAX_OBJECTS } from '../../../core/context/write-audit-log.ts';
import { ValidationError } from '../../../core/errors.ts';
import { fold } from '../../../core/text.ts';
import { scimError } from '../protocol/scim-error.ts';
import type { GroupChanges } from './read-group-changes.ts';

/** Which department of which domain. */
export interface Place {
  domainId: number;
  deptId: number;
}

type Transaction = Pick<Services, 'db'> & Acting;

/**
 * Writes what a directory changes of a department. Who stays keeps what else is known of the membership. Throws
 * ValidationError, invalidValue.
 */
export async function writeScimGroup(
  tx: Transaction,
  { domainId, deptId }: Place,
  { displayName, externalId, ...members }: GroupChanges,
): Promise<void> {
  const { dept } = tx.db.prisma;
  const nameFold = displayName === undefined ? undefined : fold(displayName);
  if (nameFold !== undefined) {
    const deleted = await dept.findFirst({
      where: { domainId, nameFold, NOT: [{ removedAt: null }, { id: deptId }] },
      select: { id: true },
    });
    const message = 'is that of a deleted group: create it again by POST';
    if (deleted) throw new ValidationError([{ path: ['nameFold'], message, code: 'TAKEN' }]);
  }
  if (displayName !== undefined || externalId !== undefined)
    await dept.update({
      where: { id: deptId },
      data: {
        ...(displayName !== undefined && { name: displayName, nameFold: fold(displayName) }),
        ...(externalId !== undefined && { externalId }),
      },
      select: { id: true },
    });
  await moveMembers(tx, { domainId, deptId }, members);
}

async function moveMembers(
  tx: Transaction,
  { domainId, deptId }: Place,
  { clears, joining, leaving }: Pick<GroupChanges, 'clears' | 'joining' | 'leaving'>,
): Promise<void> {
  const { prisma } = tx.db;
  const joins = [...joining];
  const known = await prisma.user.findMany({
    where: { id: { in: joins }, domainId, removedAt: null },
    select: { id: true },
  });
  if (known.length < joins.length) {
    const ids = new Set(known.map(({ id }) => id));
    const missing = joins.find((id) => !ids.has(id)) ?? '';
    throw scimError('INVALID_VALUE', `members: there is no user ${missing}`);
  }
  if (clears || leaving.size > 0) {
    const where = { deptId, userId: clears ? { notIn: joins } : { in: [...leaving] } };
    const gone = await prisma.userDept.findMany({
      where,
      select: { userId: true },
      orderBy: { userId: 'asc' },
      take: MAX_OBJECTS,
    });
    for (const { userId } of gone) tellObject(tx, 'User', userId);
    await prisma.userDept.deleteMany({ where });
  }
  if (joins.length === 0) return;
  const come = await prisma.userDept.createManyAndReturn({
    data: joins.map((userId) => ({ userId, deptId })),
    skipDuplicates: true,
    select: { userId: true },
  });
  for (const { userId } of come) tellObject(tx, 'User', userId);
}
