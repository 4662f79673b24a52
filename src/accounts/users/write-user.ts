import type { Database } from '../../core/database/db.ts';
import { replacePermissions } from '../organisation/replace-permissions.ts';
import { replaceUserDepts } from '../organisation/replace-user-depts.ts';
import { findPlaces } from './find-places.ts';
import type { UserChange } from './user-input.ts';

/** Writes what an administrator changes of a user of the domain. Throws ValidationError for names that are not there. */
export async function writeUser(
  db: Database,
  { userId, domainId }: { userId: number; domainId: number },
  change: UserChange,
): Promise<void> {
  const { unitId, profileId, depts } = await findPlaces(db, domainId, change);
  const { displayName, timeZone, langCode, defaultView } = change;
  await db.prisma.user.update({
    where: { id: userId },
    data: {
      ...(unitId !== undefined && { unitId }),
      ...(profileId !== undefined && { profileId }),
      ...(displayName != null && { displayName }),
      ...(timeZone !== undefined && { timeZoneLong: timeZone }),
      ...(langCode != null && { langCode }),
      ...(defaultView != null && { defaultView }),
    },
    select: { id: true },
  });
  if (depts) await replaceUserDepts(db, new Map([[userId, depts]]));
  if (change.permissions)
    await replacePermissions(db, 'USER', new Map([[userId, change.permissions]]));
}
