import type { SignedInContext } from '../../../core/context/context.ts';
import { loaderById } from '../../../core/lists/load-by-id.ts';

/** A user, as everybody who sees their work may know them. */
export interface Person {
  login: string;
  displayName: string;
}

const loader = loaderById(({ db, viewer: { domainId } }: SignedInContext, ids: readonly number[]) =>
  db.prisma.user.findMany({
    where: { id: { in: [...ids] }, domainId },
    select: { id: true, login: true, displayName: true },
  }),
);

/** Who is behind an id of the viewer's domain; null for nobody. All of one list in one statement. */
export function loadPerson(ctx: SignedInContext, id: number | null): Promise<Person | null> {
  return id === null ? Promise.resolve(null) : loader(ctx).load(id);
}
