import type { Viewer } from '../../core/context/viewer.ts';

/**
 * Does for a viewer what only reads. Begins at once as who the session was when it was last seen (`recalled`), while the database is asked who it is: so that both go there
 * together. What it found is thrown away, and found anew, unless the session is still just that.
 */
export async function answerViewer<T>(
  identified: Promise<Viewer | null>,
  recalled: Viewer | undefined,
  work: (viewer: Viewer | null) => Promise<T>,
): Promise<T> {
  if (!recalled) return work(await identified);
  const [viewer, early] = await Promise.allSettled([identified, work(recalled)]);
  if (viewer.status === 'rejected') throw viewer.reason;
  if (viewer.value !== recalled) return work(viewer.value);
  if (early.status === 'rejected') throw early.reason;
  return early.value;
}
