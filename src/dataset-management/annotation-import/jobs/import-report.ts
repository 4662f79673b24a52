import * as z from 'zod';
import type { ImportFaults } from '../source/import-faults.ts';
import { importFormats } from '../source/import-source.ts';
import type { ImportPlan } from '../steps/plan-import.ts';

/** Faults and names that are listed; the others are only counted. */
export const MOST_LISTED = 1000;

const fault = z.object({
  file: z.string(),
  image: z.string().nullable(),
  object: z.string().nullable(),
  message: z.string(),
});

/** What an import found in its file, and what it did. */
const schema = z.object({
  format: z.enum(importFormats).nullable(),
  images: z.int(),
  annotations: z.int(),
  newClasses: z.array(z.string()),
  replaced: z.int(),
  changed: z.int(),
  unmatched: z.object({ listed: z.array(z.string()), total: z.int() }),
  problems: z.object({ listed: z.array(fault), total: z.int() }),
});
export type ImportReport = z.infer<typeof schema>;

/** A report as it is stored; an empty one for none. */
export function readReport(stored: unknown): ImportReport {
  return stored === null ? reportOf(undefined, undefined, 0) : schema.parse(stored);
}

/** The report of a plan, as far as it came, with the number of images that were changed. */
export function reportOf(
  plan: ImportPlan | undefined,
  faults: ImportFaults | undefined,
  changed: number,
): ImportReport {
  // Without what the database can't hold: names come from files.
  const short = (text: string): string =>
    text.slice(0, 2000).toWellFormed().replaceAll('\0', '\uFFFD');
  return {
    format: plan?.format ?? null,
    images: plan?.images.length ?? 0,
    annotations: plan?.annotations ?? 0,
    newClasses: (plan?.newClasses ?? []).slice(0, MOST_LISTED).map(short),
    replaced: plan?.replaced ?? 0,
    changed,
    unmatched: {
      listed: (plan?.unmatched.listed ?? []).map(short),
      total: plan?.unmatched.total ?? 0,
    },
    problems: { listed: faults?.listed ?? [], total: faults?.total ?? 0 },
  };
}
