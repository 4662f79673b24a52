import { isInTheWay } from './to-app-error.ts';

/** How often work is begun that another write is in the way of: PostgreSQL ends it where both wait for each other. */
const ATTEMPTS = 3;

/** Does work in one transaction, and again where it was undone because another write was in its way; unless `may` says no. */
export async function beginAgain<T>(work: () => Promise<T>, may = (): boolean => true): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !isInTheWay(error) || !may()) throw error;
    }
}
