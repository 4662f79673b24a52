import { common, fill, type Maker, people, storeOf } from './feed-parts.ts';
import { randomSpan, wallTime } from './schedule.ts';
import { walkTitles } from './vocabulary.ts';

/** A walk through a store. */
export function walk(maker: Maker): object {
  const { random, now } = maker;
  const start = randomSpan(random, 0).start;
  const unit = storeOf(random);
  const hour = random.pick([6, 9, 19]);
  return {
    ...common(maker, { start, end: start }),
    kind: 'WALK',
    unit,
    dept: 'Store Leadership',
    message_type: 'WLK',
    feed_type: 'Walk',
    feed_type_id: 'WALK',
    feed_type_id_desc: 'Store walk',
    feed_title: fill(random, random.pick(walkTitles)),
    start_date_time: wallTime(now, start, hour),
    end_date_time: wallTime(now, start, hour + 1),
    assignments: [
      { unit },
      { user: random.pick(people).login, role: 'EXECUTOR', assigned_role: 'Walker' },
    ],
  };
}
