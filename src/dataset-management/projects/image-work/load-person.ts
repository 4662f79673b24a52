import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../../core/context/context.ts';

/** A user, as everybody who sees their work may know them. */
export interface Person {
  login: string;
  displayName: string;
}

const loader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<number, Person | null>(async (ids) => {
      const { domainId } = ctx.viewer;
      const found = await ctx.db.prisma.user.findMany({
        where: { id: { in: [...ids] }, domainId },
        select: { id: true, login: true, displayName: true },
      });
      const byId = new Map(found.map(({ id, ...person }) => [id, person]));
      return ids.map((id) => byId.get(id) ?? null);
    }),
);

/** Who is behind an id of the viewer's domain; null for nobody. All of one list in one statement. */
export function loadPerson(ctx: SignedInContext, id: number | null): Promise<Person | null> {
  return id === null ? Promise.resolve(null) : loader(ctx).load(id);
}
