import type { Services } from '../../core/context/context.ts';
import type { Signal } from '../../core/signal.ts';
import { isArriving } from '../../core/database/copy/is-arriving.ts';
import { collectVersions } from '../versions/freeze/collect-versions.ts';
import { sweepStorage, type SweepReport } from './sweep-storage.ts';

/**
 * Removes for good what nobody can bring back any more: first what deleted versions held, then bytes. Nothing while a
 * domain arrives. Gateways do it once a day. Throws the reason of `stop`.
 */
export async function sweep(services: Services, stop?: Signal): Promise<SweepReport> {
  if (await isArriving(services.db)) {
    services.log.warn('nothing was swept: a domain has not come as a whole');
    return { rows: 0, objects: 0 };
  }
  await collectVersions(services, stop);
  return sweepStorage(services, stop);
}
