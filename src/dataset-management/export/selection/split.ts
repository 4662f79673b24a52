import { createHash } from 'node:crypto';
import * as z from 'zod';
import { parseUuid } from '../../../core/uuid.ts';

/** What a trainer learns from, checks itself with, and is judged by. */
const splitParts = ['train', 'val', 'test'] as const;
export type SplitPart = (typeof splitParts)[number];

/** How the images of an export are split. */
const splitSchema = z.union([
  z.strictObject({
    /** Percent, 100 together. */
    shares: z.strictObject({ train: z.number(), val: z.number(), test: z.number() }),
    seed: z.int(),
  }),
  /** Parts of datasets by id; the others are for training. */
  z.strictObject({ datasets: z.record(z.string(), z.enum(splitParts)) }),
]);
export type Split = z.infer<typeof splitSchema>;

/** The largest seed. */
export const MAX_SEED = 2_147_483_647;

/** As it is stored: the same text for the same split, empty for none. */
export function storeSplit(split: Split | null): string {
  if (!split) return '';
  if ('shares' in split) {
    const { train, val, test } = split.shares;
    return JSON.stringify({ shares: { train, val, test }, seed: split.seed });
  }
  const datasets = Object.entries(split.datasets).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({ datasets: Object.fromEntries(datasets) });
}

/** The split of a stored text. */
export function parseStoredSplit(text: string): Split | null {
  return text === '' ? null : splitSchema.parse(JSON.parse(text));
}

/** The problem with a split; undefined if there is none. */
export function splitFault(split: Split): string | undefined {
  if ('datasets' in split)
    return Object.keys(split.datasets).length > 0 ? undefined : 'names no dataset';
  const { train, val, test } = split.shares;
  if (![train, val, test].every((share) => share >= 0 && share <= 100) || train === 0)
    return 'has shares of 0 to 100, that of train more than 0';
  if (Math.abs(train + val + test - 100) > 1e-6) return 'has shares that are not 100 together';
  return split.seed >= 0 && split.seed <= MAX_SEED
    ? undefined
    : `has a seed that is not an integer from 0 to ${MAX_SEED}`;
}

/** How REST and the command line write a split, in words. */
export const splitForm =
  'train/val/test in percent, such as 80/10/10 or 80/20, or a part for each dataset, such as val:<dataset>,test:<dataset>';

/** A split as REST and the command line write it, before it is checked; undefined for anything else. */
export function parseSplit(text: string, seed: number): Split | undefined {
  const number = String.raw`(\d{1,3}(?:\.\d{1,6})?)`;
  const shares = new RegExp(`^${number}/${number}(?:/${number})?$`).exec(text.trim());
  if (shares) {
    const [train = 0, val = 0, test = 0] = shares.slice(1).map((share) => Number(share ?? 0));
    return { shares: { train, val, test }, seed };
  }
  const datasets: Record<string, SplitPart> = {};
  for (const item of text.split(',')) {
    const [name, dataset = ''] = item.trim().split(':');
    const part = splitParts.find((known) => known === name?.toLowerCase());
    const id = parseUuid(dataset);
    if (!part || id === undefined || (datasets[id] ?? part) !== part) return undefined;
    datasets[id] = part;
  }
  return { datasets };
}

/** An image, as far as a split asks. */
export interface SplitImage {
  id: string;
  datasetId: string;
  sha256: string;
  /** Null for ciphertext. */
  mimeType: string | null;
}

/**
 * The part that an image belongs to. By shares, the hash of its content and the seed decides: the same in every
 * database and in later exports, whatever images are added, and equal images are never on both sides. Ciphertext is
 * another one after each change of the key: there the id of the image decides.
 */
export function partOf(split: Split, image: SplitImage): SplitPart {
  if ('datasets' in split) return split.datasets[image.datasetId] ?? 'train';
  const { train, val } = split.shares;
  const content = image.mimeType === null ? image.id : image.sha256;
  const hash = createHash('sha256').update(`${split.seed}:${content}`).digest();
  const percent = (hash.readUIntBE(0, 6) / 2 ** 48) * 100;
  return percent < train ? 'train' : percent < train + val ? 'val' : 'test';
}

/** The parts that a split can have images in. */
export function partsOf(split: Split): SplitPart[] {
  return 'shares' in split
    ? splitParts.filter((part) => split.shares[part] > 0)
    : splitParts.filter((part) => part === 'train' || Object.values(split.datasets).includes(part));
}
