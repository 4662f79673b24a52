import { uncached } from '../../core/lists/load-by-id.ts';
import { pagesBelow } from '../../core/lists/pages-below.ts';
import { rowsById } from '../workspaces/rows-by-id.ts';
import { versionList } from './dataset-version.ts';

/** A page of the versions of a dataset, newest first. GraphQL `Dataset.versions`. */
export const pageVersions = pagesBelow(({ viewer }, dataset) => versionList(viewer, { dataset }));

/** Never cached: a version gets ready while a client asks for it again and again. GraphQL `node`. */
export const { load: loadVersion, require: requireVersion } = rowsById(
  'DatasetVersion',
  versionList,
  uncached,
);
