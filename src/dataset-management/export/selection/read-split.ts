import { ValidationError } from '../../../core/errors.ts';
import { encodeGlobalId } from '../../../core/global-id.ts';
import { parseSplit, splitForm, type Split } from './split.ts';

/** The split that a request or a command line names, if any. Throws ValidationError. */
export function readSplit(split: string | undefined, seed: number | undefined): Split | null {
  const refuse = (field: string, message: string): never => {
    const problem = { path: [field], message, code: 'VALIDATION_ERROR' };
    throw new ValidationError([problem], `${field} ${message}`);
  };
  if (split === undefined || split === '')
    return seed === undefined ? null : refuse('seed', 'needs a split by shares');
  const found = parseSplit(split, seed ?? 0);
  if (!found) return refuse('split', `is not ${splitForm}`);
  return seed !== undefined && 'datasets' in found
    ? refuse('seed', 'needs a split by shares')
    : found;
}

/** A split as GraphQL's `ExportProjectInput` has it. */
export function explainSplit(split: Split | null): object {
  if (!split) return {};
  if ('shares' in split) return { split: { shares: { ...split.shares, seed: split.seed } } };
  const datasets = Object.entries(split.datasets).map(([id, part]) => ({
    datasetId: encodeGlobalId('Dataset', id),
    part: part.toUpperCase(),
  }));
  return { split: { datasets } };
}
