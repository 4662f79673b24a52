import type { Services } from '../../core/context/context.ts';
import { sweepStorage, type SweepReport } from '../images/sweep-storage.ts';
import { collectVersions } from './freeze/collect-versions.ts';

/** Removes for good what nobody can bring back any more: first what deleted versions held, then bytes. */
export async function sweep(services: Services): Promise<SweepReport> {
  await collectVersions(services);
  return sweepStorage(services);
}
