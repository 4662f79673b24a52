import type { Services } from '../core/context/context.ts';
import type { Signal } from '../core/signal.ts';
import type { DemoMark } from './demo-mark.ts';
import { loadDatasetDemo } from './load-dataset-demo.ts';

/**
 * Loads the datasets of the demo, in place of what an interrupted start has of them; what goes wrong is logged. Where
 * the mark tells the next start to go on, it ends with the signal.
 */
export async function finishDemo(
  services: Services,
  mark: DemoMark,
  signal: Signal,
): Promise<void> {
  try {
    await loadDatasetDemo(services, mark.isSet ? { again: true, signal } : {});
    mark.clear();
  } catch (error) {
    if (!signal.aborted || !mark.isSet)
      services.log.error({ err: error }, 'demo datasets could not be loaded');
  }
}
