import { ValidationError } from '../../core/errors.ts';
import { builder } from '../../core/graphql/builder.ts';
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
