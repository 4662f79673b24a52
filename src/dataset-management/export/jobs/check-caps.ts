import { AppError } from '../../../core/errors.ts';

const RETRY_SECONDS = 10;

/** Jobs that are not over. */
export const underWay = { state: { in: ['QUEUED', 'RUNNING'] } };

interface Caps {
  /** As messages call such jobs, and the mutation that stops one. */
  jobs: string;
  cancel: string;
  /** How many one user, and the members of one workspace together, may have under way. */
  ofUser: number;
  ofWorkspace: number;
}

/** Refuses another job of a user while too many are under way. Throws E902. */
export async function checkCaps(
  count: (
    where: typeof underWay & { ownerId?: number; project?: { workspaceId: string } },
  ) => Promise<number>,
  { ownerId, workspaceId }: { ownerId: number; workspaceId: string },
  { jobs, cancel, ofUser, ofWorkspace }: Caps,
): Promise<void> {
  const own = await count({ ...underWay, ownerId });
  const all = await count({ ...underWay, project: { workspaceId } });
  if (own < ofUser && all < ofWorkspace) return;
  const who = own < ofUser ? `The workspace has ${all}` : `You have ${own}`;
  throw new AppError('E902', {
    message: `${who} ${jobs} under way: wait for one, or stop one of yours with ${cancel}, then try again in ${RETRY_SECONDS} s`,
    headers: { 'retry-after': String(RETRY_SECONDS) },
  });
}
