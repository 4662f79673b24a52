import { assignmentsOf, common, fill, type Maker, storeOf } from './feed-parts.ts';
import { depts } from './organisation.ts';
import { compactDayOf, randomSpan, wallTime } from './schedule.ts';
import { projectTitles, projectTypes } from './vocabulary.ts';
import { task } from './task-record.ts';

const CLUSTERS = 80;

/** A project and up to five tasks of it. */
export function* projectWithTasks(maker: Maker, n: number): Generator<object> {
  const { random, now } = maker;
  const span = randomSpan(random, 14);
  const [type, typeName] = random.pick(projectTypes);
  const dept = random.pick(depts);
  const unit = storeOf(random);
  const confidential = random.chance(0.06);
  const project = {
    ...common(maker, span),
    kind: 'PROJECT',
    unit,
    dept,
    message_type: 'PRJ',
    feed_type: 'Project',
    feed_type_id: type,
    feed_type_id_desc: typeName,
    feed_title: fill(random, random.pick(projectTitles[type])),
    cluster_id: `C-${String(1 + (n % CLUSTERS)).padStart(3, '0')}`,
    cluster_child_id: String(1 + Math.floor(n / CLUSTERS)),
    start_date_time: wallTime(now, span.start, 6),
    end_date_time: wallTime(now, span.end, 20),
    display_launch_date: wallTime(now, span.start - 1, 12),
    is_confidential: confidential,
    is_local: random.chance(0.3),
    is_active: random.chance(0.9),
    has_attachment: random.chance(0.25),
    panel_config: { icon: type.toLowerCase(), collapsed: random.chance(0.5) },
    assignments: assignmentsOf(random, dept, unit),
    ...(random.chance(0.3)
      ? {
          sugg_start_date: compactDayOf(now, span.start + 1),
          sugg_end_date: compactDayOf(now, span.end + 2),
        }
      : {}),
    ...(random.chance(0.2)
      ? {
          ext_link_info: {
            label: 'Guide',
            url: 'https://example.com/guides/' + type.toLowerCase(),
          },
          show_how_url: 'https://example.com/how/' + type.toLowerCase(),
        }
      : {}),
  };
  yield project;
  const tasks = random.int(6);
  for (let index = 0; index < tasks; index++) {
    const start = span.start + random.int(span.end - span.start + 1);
    const own = { start, end: Math.min(span.end, start + random.int(4)) };
    yield task(maker, own, {
      parent_feed_key: project.feed_key,
      cluster_id: project.cluster_id,
      cluster_child_id: project.cluster_child_id,
      feed_type_id: type,
      feed_type_id_desc: typeName,
      has_predecessor: index > 0 && random.chance(0.4),
      is_confidential: confidential,
      dept,
      unit,
      ...(random.chance(0.6) ? { assignments: project.assignments } : {}),
    });
  }
}
