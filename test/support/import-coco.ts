import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asUser } from '../../src/commands/support/as-user.ts';
import {
  importFile,
  type FileImport,
  type ImportOutcome,
} from '../../src/dataset-management/annotation-import/steps/import-file.ts';
import type { DatasetApp } from './datasets.ts';

/** Imports a text as the COCO file `coco.json` into a project, as its owner. */
export async function importCoco(
  app: DatasetApp,
  projectId: string,
  text: string,
  more: Partial<FileImport> = {},
): Promise<ImportOutcome> {
  const path = join(app.folder, 'coco.json');
  await writeFile(path, text);
  return asUser(app.services, 'owner', (ctx) =>
    importFile(ctx, { projectId, name: 'coco.json', path, format: 'COCO', ...more }),
  );
}
