import { fill } from './feed-parts.ts';
import type { Random } from './random.ts';
import { randomSpan, statusOf, wallTime } from './schedule.ts';
import { taskTitles } from './vocabulary.ts';

/** Work of the second domain: nobody in `demo` may ever see any of it. */
export function* otherFeedRecords(random: Random, now: number): Generator<object> {
  for (let n = 0; n < 60; n++) {
    const span = randomSpan(random, 5);
    yield {
      feed_key: 900_001 + n,
      domain: 'other',
      kind: n % 3 === 0 ? 'PROJECT' : 'TASK',
      unit: 'Lisboa Baixa',
      dept: 'Shop floor',
      feed_title: fill(random, random.pick(taskTitles)),
      message_type: n % 3 === 0 ? 'PRJ' : 'TSK',
      feed_type_id: 'PROMO',
      feed_type_id_desc: 'Promotion',
      status: statusOf(random, span),
      priority: 1 + random.int(5),
      start_date_time: wallTime(now, span.start, 9),
      end_date_time: wallTime(now, span.end, 18),
      assignments: [{ dept: 'Shop floor' }],
    };
  }
}
