import { assignmentsOf, common, fill, type Maker, storeOf } from './feed-parts.ts';
import { depts } from './organisation.ts';
import { type Span, wallTime } from './schedule.ts';
import { projectTypes, taskTitles } from './vocabulary.ts';

/** A task; `given` replaces what it has by chance. */
export function task(maker: Maker, span: Span, given: object): object {
  const { random, now } = maker;
  const [type, typeName] = random.pick(projectTypes);
  const dept = random.pick(depts);
  const unit = storeOf(random);
  const hour = 7 + random.int(10);
  return {
    ...common(maker, span),
    kind: 'TASK',
    unit,
    dept,
    message_type: 'TSK',
    feed_type: 'Task',
    feed_type_id: type,
    feed_type_id_desc: typeName,
    feed_title: fill(random, random.pick(taskTitles)),
    start_date_time: wallTime(now, span.start, hour),
    end_date_time: wallTime(now, span.end, hour + 1 + random.int(4), random.pick([0, 15, 30, 45])),
    show_claim: random.chance(0.2),
    show_acknowledge: random.chance(0.2),
    assignments: assignmentsOf(random, dept, unit),
    ...given,
  };
}
