import { beginAgain } from '../core/failures/begin-again.ts';
import { demoRecords } from './demo/demo-records.ts';
import {
  importRecords,
  type ImportCounts,
  type ImportOptions,
  type ImportServices,
} from './import-records.ts';
import { asLines } from './read-lines.ts';

/** Loads the demo data through the importer: two domains, full configuration, some 5,000 feeds around today. */
export function loadDemo(
  services: ImportServices,
  onProgress?: ImportOptions['onProgress'],
): Promise<ImportCounts> {
  return beginAgain(() =>
    importRecords(services, asLines(demoRecords(services.clock())), { name: 'demo', onProgress }),
  );
}
