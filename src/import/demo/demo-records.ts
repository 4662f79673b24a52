import { calendarRecords } from './calendars.ts';
import { configurationRecords } from './configuration.ts';
import { filterRecords } from './filters.ts';
import { feedRecords } from './feeds.ts';
import { otherFeedRecords } from './other-feeds.ts';
import { organisationRecords } from './organisation.ts';
import { createRandom } from './random.ts';

const SEED = 20_260_105;

/** All records of the demo, generated around the day of `now` (epoch milliseconds): the same day gives the same records. */
export function* demoRecords(now: number): Generator<object> {
  const midnight = Math.floor(now / 86_400_000) * 86_400_000;
  yield* organisationRecords();
  yield* configurationRecords();
  yield* filterRecords();
  const projects: number[] = [];
  for (const record of feedRecords(createRandom(SEED), midnight)) {
    if ('kind' in record && record.kind === 'PROJECT' && 'feed_key' in record)
      projects.push(Number(record.feed_key));
    yield record;
  }
  yield* calendarRecords(createRandom(SEED + 2), midnight, projects);
  yield* otherFeedRecords(createRandom(SEED + 1), midnight);
}
