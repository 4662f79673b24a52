import type { Services } from '../core/context/context.ts';
import type { DemoMark } from './demo-mark.ts';
import { loadDatasetDemo } from './load-dataset-demo.ts';

/** Loads the datasets of the demo, in place of what an interrupted start has of them. */
export async function finishDemo(services: Services, mark: DemoMark): Promise<void> {
  await loadDatasetDemo(services, mark.isSet);
  mark.clear();
}
