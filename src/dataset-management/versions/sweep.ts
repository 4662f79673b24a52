import type { Services } from '../../core/context/context.ts';
import { isArriving } from '../../core/database/copy/is-arriving.ts';
import { sweepStorage, type SweepReport } from '../images/sweep-storage.ts';
import { collectVersions } from './freeze/collect-versions.ts';

/** Removes for good what nobody can bring back any more: first what deleted versions held, then bytes. Nothing while a domain arrives. */
export async function sweep(services: Services): Promise<SweepReport> {
  if (await isArriving(services.db)) {
    services.log.warn('nothing was swept: a domain has not come as a whole');
    return { rows: 0, objects: 0 };
  }
  await collectVersions(services);
  return sweepStorage(services);
}
