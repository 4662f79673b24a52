import type { Services } from '../../../core/context/context.ts';
import { limitParallel } from '../../../core/turns/limit.ts';

/** Objects that are looked for at once. */
const LOOKS = 16;

/** The stored bytes whose object is missing, or has another length. */
export async function findMissing<T extends { storageKey: string; size: number }>(
  { storage }: Pick<Services, 'storage'>,
  stored: readonly T[],
): Promise<Set<T>> {
  const limited = limitParallel(LOOKS);
  const missing = new Set<T>();
  await Promise.all(
    stored.map((one) =>
      limited(async () => {
        const found = await storage.stat(one.storageKey);
        if (found?.size !== one.size) missing.add(one);
      }),
    ),
  );
  return missing;
}
