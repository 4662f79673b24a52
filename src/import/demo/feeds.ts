import { assignmentsOf, common, compact, fill, people, storeOf, type Maker } from './feed-parts.ts';
import { depts } from './organisation.ts';
import type { Random } from './random.ts';
import { dayOf, randomSpan, statusOf, wallTime, type Span } from './schedule.ts';
import {
  messageTitles,
  messageTypes,
  projectTitles,
  projectTypes,
  taskTitles,
  walkTitles,
} from './vocabulary.ts';

const PROJECTS = 950;
const LOOSE_TASKS = 500;
const MESSAGES = 900;
const WALKS = 350;
const CLUSTERS = 80;

/** Work of the domain `demo`: projects with their tasks, loose tasks, messages and store walks. */
export function* feedRecords(random: Random, now: number): Generator<object> {
  let key = 1000;
  const maker: Maker = { random, now, nextKey: () => ++key };
  for (let n = 0; n < PROJECTS; n++) yield* projectWithTasks(maker, n);
  for (let n = 0; n < LOOSE_TASKS; n++) yield task(maker, randomSpan(random, 4), {});
  for (let n = 0; n < MESSAGES; n++) yield message(maker);
  for (let n = 0; n < WALKS; n++) yield walk(maker);
}

function* projectWithTasks(maker: Maker, n: number): Generator<object> {
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
          sugg_start_date: compact(dayOf(now, span.start + 1)),
          sugg_end_date: compact(dayOf(now, span.end + 2)),
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

function task(maker: Maker, span: Span, given: object): object {
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

function message(maker: Maker): object {
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

function walk(maker: Maker): object {
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
