import type { CellJson } from './cell-json.ts';

/**
 * A part of the JSON of one feed: text, followed by the value of a cell, or by the position of the feed in its list.
 */
export type FeedPart = { before: string } & (
  { place: number; json: CellJson } | { isCursor: true }
);

/** A value of a template. */
export interface TemplateValue {
  place: number;
  json: CellJson;
  /** Bytes for a null cell; undefined if null is not allowed. */
  nothing: Buffer | undefined;
}

/** How to write the JSON of one feed; used for every page with the same fields and columns. */
export interface FeedTemplate {
  /** A part without a value stands for the position of the feed in its list. */
  parts: readonly { before: Buffer; value: TemplateValue | undefined }[];
  after: Buffer;
  /** Number of bytes that are the same for every feed. */
  fixed: number;
}

/** Makes a template from its parts and the text after the last one. */
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
