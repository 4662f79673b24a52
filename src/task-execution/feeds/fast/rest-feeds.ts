import { WireRow } from '../../../core/wire/wire.ts';
import { feedColumns } from '../fields/feed-columns.sql.ts';
import type { FeedFieldName } from '../fields/feed-fields.ts';
import type { FeedLayout, FeedRow } from '../fields/feed-row.ts';
import { restJson } from './cell-json.ts';
import { feedTemplate, type FeedTemplate } from './feed-template.ts';
import { writeFeeds } from './write-feeds.ts';

const templates = new WeakMap<FeedLayout, WeakMap<readonly FeedFieldName[], FeedTemplate>>();

/**
 * Writes feeds as a REST array, with these fields in this order, between two texts; undefined if their rows are not
 * bytes.
 */
export function preserialiseRest(
  feeds: readonly FeedRow[],
  fields: readonly FeedFieldName[],
  around: { before: string; after: string },
): Buffer | undefined {
  const [first] = feeds;
  return first?.row instanceof WireRow
    ? writeFeeds(feeds, templateOf(first.layout, fields), around)
    : undefined;
}

function templateOf(layout: FeedLayout, fields: readonly FeedFieldName[]): FeedTemplate {
  let known = templates.get(layout);
  if (!known) templates.set(layout, (known = new WeakMap()));
  let template = known.get(fields);
  if (!template) known.set(fields, (template = makeTemplate(layout, fields)));
  return template;
}

function makeTemplate(layout: FeedLayout, fields: readonly FeedFieldName[]): FeedTemplate {
  const parts = fields.map((name, index) => {
    const place = layout.columns.get(name)?.place;
    if (place === undefined) throw new Error(`the feeds were read without ${name}`);
    return {
      before: `${index === 0 ? '{' : ','}"${name}":`,
      place,
      json: restJson(feedColumns[name].type),
    };
  });
  return feedTemplate(parts, '}');
}
