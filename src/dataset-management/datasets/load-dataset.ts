import { rowsById } from '../workspaces/rows-by-id.ts';
import { datasetList } from './dataset.ts';

/** Datasets by id. GraphQL `dataset`, `node`, `DatasetImage.dataset`. */
export const {
  load: loadDataset,
  require: requireDataset,
  forget: forgetDatasets,
} = rowsById('Dataset', datasetList);
