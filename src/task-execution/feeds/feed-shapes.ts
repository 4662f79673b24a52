import * as z from 'zod';
import { restShape } from './fields/feed-codecs.ts';
import { feedColumns } from './fields/feed-columns.sql.ts';
import { feedFieldNames } from './fields/feed-fields.ts';

const int64 = z.int().meta({ format: 'int64' });
const cursor = z.string().nullable();

/** A feed object; `projections` decides which fields it has. */
export const feedShape = z
  .object({
    feed_key: int64,
    ...Object.fromEntries(
      feedFieldNames.map((name) => [
        name,
        name === 'feed_key'
          ? int64
          : restShape(feedColumns[name].type).describe(feedColumns[name].description).optional(),
      ]),
    ),
  })
  .meta({ id: 'Feed', description: 'A work item.' });

/** The reply of the mode `list` (F148). */
export const feedListShape = z
  .object({
    status: z.literal('OK'),
    feed_details: z.array(feedShape),
    next_cursor: cursor,
    previous_cursor: cursor,
    has_more: z.boolean(),
    last_fetch_time: int64,
  })
  .meta({
    id: 'FeedList',
    description: 'A page of feeds; the cursors are null at the ends of the list.',
  });

const priorityCount = z.object({
  priority: z.int(),
  priority_desc: z.string().nullable(),
  count: z.int(),
});

/** The reply of the mode `count`. */
export const feedCountShape = z
  .object({
    status: z.literal('OK'),
    count_data: z.object({ priorities: z.array(priorityCount), total: z.int() }),
  })
  .meta({ id: 'FeedCount', description: 'How many feeds there are of each priority.' });

/** The reply of the mode `list-latest`. */
export const feedChangesShape = z
  .object({ status: z.literal('OK'), feed_list_latest: z.array(feedShape) })
  .meta({ id: 'FeedChanges', description: 'The feeds that changed since the last fetch.' });

/** A page of one feed, as an example for OpenAPI. */
export const feedListExample = {
  status: 'OK' as const,
  feed_details: [
    {
      feed_key: 4501,
      feed_title: 'Put up signs: 70% off',
      status: 'O',
      priority: 1,
      end_date_time: '2026-11-20 01:30:00',
    },
  ],
  next_cursor: 'WzEsIjQ5YTFiM2FjIixbIjEiLCI0NDI2Il1d',
  previous_cursor: null,
  has_more: true,
  last_fetch_time: 1795185149101,
};
