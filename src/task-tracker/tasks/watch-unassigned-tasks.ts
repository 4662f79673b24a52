import { requirePermission } from '../../auth/guards.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import type { EventStream } from '../../core/streams/event-stream.ts';
import { lookAgain } from '../../core/streams/look-again.ts';
import { unassignedState } from '../task-tracker.sql.ts';

/** How often changes are looked for, in milliseconds. */
const LOOK_EVERY = 2_000;
/** How much longer than a look the pause behind it takes: all streams of a gateway have a fifth of one connection. */
const PAUSE = 4;
/** The end of the last look, and of the pause behind it. */
const lines = new WeakMap<SignedInContext['changes'], Promise<unknown>>();

/**
 * Tells at once, and then whenever other tasks wait for a supervisor of the viewer's unit, or of no unit. Ends when the viewer is no
 * supervisor any more, or of another unit. GraphQL `unassignedExternalTasksChanged`. Throws ForbiddenError; E202 when
 * the session ends, E902 for too many streams.
 */
export async function watchUnassignedTasks(ctx: SignedInContext): Promise<EventStream<object>> {
  const { userId, unitId } = requirePermission(ctx, 'SUPERVISOR');
  let told: string | undefined;
  const look = async (): Promise<object | null | undefined> => {
    const now = await inLine(ctx, () => unassignedState.first(ctx.db, { userId, unitId }));
    if (!now) return undefined;
    if (now.state === told) return null;
    told = now.state;
    return now;
  };
  return lookAgain(ctx, { every: LOOK_EVERY, look });
}

/** Looks when those before have looked. Where very many tasks wait, a look takes long, and the streams learn of changes later. */
async function inLine<T>({ changes }: SignedInContext, look: () => Promise<T>): Promise<T> {
  let took = 0;
  const found = (lines.get(changes) ?? Promise.resolve()).then(async () => {
    const begun = performance.now();
    return look().finally(() => (took = performance.now() - begun));
  });
  const pause = (): Promise<void> =>
    new Promise((resolve) => setTimeout(resolve, PAUSE * took).unref());
  lines.set(changes, found.then(pause, pause));
  return found;
}
