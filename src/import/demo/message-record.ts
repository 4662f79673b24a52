import { assignmentsOf, common, fill, type Maker, storeOf } from './feed-parts.ts';
import { depts } from './organisation.ts';
import { randomSpan, wallTime } from './schedule.ts';
import { messageTitles, messageTypes } from './vocabulary.ts';

/** A message: news, an alert, a policy, an event or a recall. */
export function message(maker: Maker): object {
  const { random, now } = maker;
  const span = randomSpan(random, 7);
  const type = random.pick(['FYI', 'ALR', 'POL', 'EVT', 'RCL']);
  const dept = random.pick(depts);
  const unit = storeOf(random);
  return {
    ...common(maker, span),
    kind: 'MESSAGE',
    unit,
    dept,
    message_type: type,
    feed_type: 'Message',
    feed_type_id: type,
    feed_type_id_desc: messageTypes.find(([id]) => id === type)?.[1],
    feed_title: fill(random, random.pick(messageTitles[type])),
    start_date_time: wallTime(now, span.start, 8),
    // A policy is valid until further notice.
    ...(type === 'POL' && random.chance(0.3) ? {} : { end_date_time: wallTime(now, span.end, 21) }),
    ...(type === 'EVT'
      ? { event_date: wallTime(now, span.end, 15), event_end_date: wallTime(now, span.end, 17) }
      : {}),
    ...(type === 'POL' ? { show_why_url: 'https://example.com/policies/' + random.int(90) } : {}),
    show_acknowledge: type === 'RCL' || type === 'POL',
    is_confidential: random.chance(0.03),
    assignments: assignmentsOf(random, dept, unit),
  };
}
