import type { SignedInContext } from '../../../core/context/context.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { loaderById } from '../../../core/lists/load-by-id.ts';
import { readList } from '../../../core/lists/read-list.ts';
import { uuid } from '../../../core/sql/types.ts';
import { isStorable } from '../../../core/text.ts';
import { isUuid } from '../../../core/uuid.ts';
import { memberList, type WorkspaceMember } from './member.ts';

/** The parts of a member's id. */
function partsOf(id: string): { workspaceId: string; userId: number } | undefined {
  const [, workspaceId = '', user = ''] = /^([^:]+):([1-9]\d{0,9})$/.exec(id) ?? [];
  const userId = Number(user);
  return isUuid(workspaceId) && userId <= 2_147_483_647 ? { workspaceId, userId } : undefined;
}

/** Never cached: a document may change members and then select them. */
const loader = loaderById(
  (ctx: SignedInContext, ids: readonly string[]) => {
    const wanted = ids.flatMap((id) => partsOf(id) ?? []);
    const query = memberList(ctx.viewer, {
      workspaceIds: wanted.map(({ workspaceId }) => workspaceId),
      userIds: wanted.map(({ userId }) => userId),
    });
    return readList(ctx, query);
  },
  { cache: false, maxBatchSize: 100 },
);

/** The member if the viewer is one of the same workspace, else null. GraphQL `node`. */
export function loadMember(ctx: SignedInContext, id: string): Promise<WorkspaceMember | null> {
  return loader(ctx).load(id);
}

/** The member of a workspace with this login, as it is stored. Throws NotFoundError. */
export async function requireMember(
  ctx: SignedInContext,
  args: { workspaceId: string; login: string },
): Promise<WorkspaceMember> {
  const { workspaceId, login } = args;
  if (!isStorable(login)) throw new NotFoundError('WorkspaceMember');
  const query = memberList(ctx.viewer, {
    workspace: (params) => params.add(uuid, workspaceId),
    login,
  });
  const [member] = await readList({ reads: ctx.db }, query);
  if (!member) throw new NotFoundError('WorkspaceMember');
  return member;
}
