import { ValidationError } from '../../core/errors.ts';
import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { costs } from '../../core/graphql/field-cost.ts';
import { loadDataset } from '../datasets/load-dataset.ts';
import { DatasetRef } from '../datasets/schema.ts';
import { decodeId } from '../envelope/decode-id.ts';
import type { Split, SplitPart } from './selection/split.ts';

const SplitPartEnum = builder.enumType('SplitPart', {
  description: 'What images are for.',
  values: {
    TRAIN: { value: 'train', description: 'Training.' },
    VAL: { value: 'val', description: 'Validation during the training.' },
    TEST: { value: 'test', description: 'Test after the training.' },
  } as const satisfies Record<string, { value: SplitPart; description: string }>,
});

const SplitSharesInput = builder.inputType('SplitSharesInput', {
  description:
    'Shares of the images in percent, 100 together. The hash of an image and the seed decides where it belongs: the same in each export, so shares are only about right for few images.',
  fields: (t) => ({
    train: t.float({ required: true, description: 'Share of training, in percent; more than 0.' }),
    val: t.float({ required: true, description: 'Share of validation, in percent.' }),
    test: t.float({ required: true, defaultValue: 0, description: 'Share of test, in percent.' }),
    seed: t.int({
      required: true,
      defaultValue: 0,
      description: 'Another seed splits in another way; from 0.',
    }),
  }),
});

const SplitDatasetInput = builder.inputType('SplitDatasetInput', {
  description: 'A dataset and what its images are for.',
  fields: (t) => ({
    datasetId: t.id({ required: true, description: 'Global id of a dataset of the project.' }),
    part: t.field({ type: SplitPartEnum, required: true, description: 'What they are for.' }),
  }),
});

/** `ExportSplitInput`. */
export const ExportSplitInput = builder.inputType('ExportSplitInput', {
  description:
    'How the images of an export are split: either by shares or by dataset. REST: split.',
  fields: (t) => ({
    shares: t.field({ type: SplitSharesInput, description: 'By shares.' }),
    datasets: t.field({
      type: [SplitDatasetInput],
      description: 'By dataset; those that are not named are for training. At most 1,000.',
      extensions: { maxItems: 1000 },
    }),
  }),
});

const SplitShares = builder
  .objectRef<Extract<Split, { shares: unknown }>>('SplitShares')
  .implement({
    description: 'Shares of the images in percent, 100 together, and the seed.',
    fields: (t) => ({
      train: t.float({
        description: 'Share of training, in percent.',
        resolve: ({ shares }) => shares.train,
      }),
      val: t.float({
        description: 'Share of validation, in percent.',
        resolve: ({ shares }) => shares.val,
      }),
      test: t.float({
        description: 'Share of test, in percent.',
        resolve: ({ shares }) => shares.test,
      }),
      seed: t.exposeInt('seed', { description: 'Another seed splits in another way.' }),
    }),
  });

const SplitDataset = builder.objectRef<{ id: string; part: SplitPart }>('SplitDataset').implement({
  description: 'A dataset and what its images are for.',
  fields: (t) => ({
    dataset: t.field({
      type: DatasetRef,
      nullable: true,
      description: 'The dataset; null if it is gone.',
      resolve: ({ id }, _, ctx) => loadDataset(signedIn(ctx), id),
    }),
    part: t.expose('part', { type: SplitPartEnum, description: 'What its images are for.' }),
  }),
});

/** `ExportSplit`. */
export const ExportSplit = builder.objectRef<Split>('ExportSplit').implement({
  description: 'How the images of an export are split: either by shares or by dataset.',
  fields: (t) => ({
    shares: t.field({
      type: SplitShares,
      nullable: true,
      description: 'By shares; null if they are split by dataset.',
      resolve: (split) => ('shares' in split ? split : null),
    }),
    datasets: t.field({
      type: [SplitDataset],
      nullable: true,
      extensions: costs({ rows: 100 }),
      description:
        'By dataset, at most 1,000; the others are for training. Null if they are split by shares.',
      resolve: (split) =>
        'datasets' in split
          ? Object.entries(split.datasets).map(([id, part]) => ({ id, part }))
          : null,
    }),
  }),
});

/** The split that an input names. Throws ValidationError. */
export function decodeSplit(
  input: typeof ExportSplitInput.$inferInput | null | undefined,
): Split | null {
  if (!input) return null;
  const { shares, datasets } = input;
  if (shares && !datasets) {
    const { seed, ...percent } = shares;
    return { shares: percent, seed };
  }
  const parts = new Map(
    datasets?.map(({ datasetId, part }) => [decodeId('Dataset', datasetId), part] as const),
  );
  if (!datasets || shares || parts.size !== datasets.length)
    throw new ValidationError([
      {
        path: ['split'],
        message: 'takes either shares or datasets, each dataset once',
        code: 'VALIDATION_ERROR',
      },
    ]);
  return { datasets: Object.fromEntries(parts) };
}
