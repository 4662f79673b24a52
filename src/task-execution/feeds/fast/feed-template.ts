import type { CellJson } from './cell-json.ts';

/** A part of the JSON of one feed: text, then a value: that of the cell at a place, or the position of the feed in its list. */
export type FeedPart = { before: string } & (
  { place: number; json: CellJson } | { isCursor: true }
);

/** A value of a template. */
export interface TemplateValue {
  place: number;
  json: CellJson;
  /** Stands for a null cell; undefined where there must be none. */
  nothing: Buffer | undefined;
}

/** How the JSON of one feed is written, for every page that asks for the same fields of rows with the same columns. */
export interface FeedTemplate {
  /** Without a value: the position of the feed in its list. */
  parts: readonly { before: Buffer; value: TemplateValue | undefined }[];
  after: Buffer;
  /** Bytes of what is the same in each. */
  fixed: number;
}

/** Makes a template of its parts, and of what stands behind the last. */
export function feedTemplate(parts: readonly FeedPart[], after: string): FeedTemplate {
  const made = parts.map((part) => ({
    before: Buffer.from(part.before),
    value: 'json' in part ? templateValue(part) : undefined,
  }));
  return {
    parts: made,
    after: Buffer.from(after),
    fixed: made.reduce((sum, { before }) => sum + before.length, after.length),
  };
}

function templateValue({ place, json }: { place: number; json: CellJson }): TemplateValue {
  return { place, json, nothing: json.null === undefined ? undefined : Buffer.from(json.null) };
}
