import { configurationRecords } from '../../src/import/demo/configuration.ts';
import { fill } from '../../src/import/demo/feed-parts.ts';
import { createRandom, type Random } from '../../src/import/demo/random.ts';
import { compactDayOf } from '../../src/import/demo/schedule.ts';
import {
  descriptions,
  products,
  projectTypes,
  tags,
  taskTitles,
} from '../../src/import/demo/vocabulary.ts';

export const UNITS = 50;
export const DOMAIN = 'bench';
const USERS_PER_UNIT = 3;
const depts = ['Fresh', 'Grocery', 'Apparel', 'Checkout'] as const;
const profiles = ['Associate', 'Supervisor', 'Leader'] as const;
const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland'] as const;
const DAY = 86_400_000;
const QUARTER = 900_000;

/** Zone of a unit, 0 ≤ unit < UNITS. */
export function zoneOf(unit: number): string {
  return zones[unit % zones.length] ?? 'UTC';
}

/** Login of the user through whom the pages of a unit are read. */
export function viewerOf(unit: number): string {
  return `store${unit}.0`;
}

/** Belongs to every department: their view DV spans the domain. */
export const CHIEF = 'chief';
/** Belongs to one department: their view DV is one long list. */
export const LEAD = 'lead';

function unitName(unit: number): string {
  return `Store ${unit}`;
}

/** Domain, units, departments, people and the demo's system-wide configuration. */
export function* organisation(): Generator<object> {
  yield { record: 'domain', name: DOMAIN };
  for (let unit = 0; unit < UNITS; unit++)
    yield { record: 'unit', domain: DOMAIN, name: unitName(unit), time_zone: zoneOf(unit) };
  for (const name of depts) yield { record: 'dept', domain: DOMAIN, name };
  for (const name of profiles) yield { record: 'profile', domain: DOMAIN, name };
  for (let unit = 0; unit < UNITS; unit++) {
    for (let n = 0; n < USERS_PER_UNIT; n++) {
      yield {
        record: 'user',
        domain: DOMAIN,
        login: `store${unit}.${n}`,
        unit: unitName(unit),
        profile: profiles[n % profiles.length],
        depts: [{ name: depts[(unit + n) % depts.length], home: true }],
      };
    }
  }
  yield {
    record: 'user',
    domain: DOMAIN,
    login: CHIEF,
    profile: 'Leader',
    depts: depts.map((name) => ({ name, home: true })),
  };
  yield {
    record: 'user',
    domain: DOMAIN,
    login: LEAD,
    profile: 'Leader',
    depts: [{ name: depts[0], home: true }],
  };
  for (const record of configurationRecords())
    if ('scope' in record && record.scope === 'SYSTEM') yield record;
}

/** The feeds of one unit around the day of `now`, each with two user states: 94 % top-level items, 5 % tasks of projects, 1 % deleted. */
export function* feedsOfUnit(unit: number, count: number, now: number): Generator<object> {
  const random = createRandom(1 + unit);
  const midnight = Math.floor(now / DAY) * DAY;
  for (let n = 0; n < count; n++) yield feed(random, unit, n, 1 + unit * count + n, midnight);
}

function feed(random: Random, unit: number, n: number, key: number, midnight: number): object {
  const place = n % 40;
  const kind =
    place === 0
      ? 'PROJECT'
      : place <= 2
        ? 'TASK'
        : random.weigh([
            ['PROJECT', 60],
            ['TASK', 28],
            ['MESSAGE', 12],
          ]);
  const start = midnight + (random.int(120) - 60) * DAY + random.int(96) * QUARTER;
  const end = start + (1 + random.int(10 * 96)) * QUARTER;
  const created = Math.min(midnight, start) - random.int(30 * 96) * QUARTER;
  const [type, typeName] = random.pick(projectTypes);
  const owner = random.int(USERS_PER_UNIT);
  const others = random.int(USERS_PER_UNIT);
  return {
    feed_key: key,
    domain: DOMAIN,
    kind,
    ...(place === 1 || place === 2 ? { parent_feed_key: key - place } : {}),
    unit: unitName(unit),
    dept: random.pick(depts),
    profile: random.weigh([
      ['Associate', 60],
      ['Supervisor', 30],
      ['Leader', 10],
    ]),
    ...(random.chance(0.2) ? { owner: `store${unit}.${owner}`, feed_owner: `Owner ${owner}` } : {}),
    ...(random.chance(0.15)
      ? {
          assignments: [{ user: `store${unit}.${owner}` }],
          assign_to_desc: `Person ${owner} of ${unitName(unit)}`,
        }
      : {}),
    message_type: kind === 'PROJECT' ? 'PRJ' : kind === 'TASK' ? 'TSK' : 'FYI',
    feed_type: kind.toLowerCase(),
    feed_type_id: type,
    feed_type_id_desc: typeName,
    feed_title: fill(random, random.pick(taskTitles)),
    feed_description: fill(random, random.pick(descriptions)),
    status:
      end < midnight
        ? random.weigh([
            ['C', 70],
            ['F', 10],
            ['E', 5],
            ['N', 10],
            ['P', 5],
          ])
        : random.weigh([
            ['N', 50],
            ['R', 15],
            ['P', 25],
            ['C', 10],
          ]),
    ...(random.chance(0.98)
      ? {
          priority: random.weigh([
            [1, 10],
            [2, 20],
            [3, 40],
            [4, 20],
            [5, 10],
          ]),
        }
      : {}),
    cluster_id: `C-${random.int(80)}`,
    cluster_child_id: String(random.int(9)),
    start_date_utc: new Date(start).toISOString(),
    ...(random.chance(0.98) ? { end_date_utc: new Date(end).toISOString() } : {}),
    display_launch_date: new Date(start - DAY).toISOString(),
    create_dtm: new Date(created).toISOString(),
    last_updated_time: created + random.int(Math.max(1, midnight - created)),
    ...(random.chance(0.1) ? { sugg_start_date: compactDayOf(start, 0) } : {}),
    ...(random.chance(0.3)
      ? {
          panel_config: {
            icon: type.toLowerCase(),
            collapsed: random.chance(0.5),
            badge: random.pick(products),
          },
        }
      : {}),
    ...(random.chance(0.1)
      ? {
          title_css: 'font-weight:600',
          show_how_url: `https://example.com/how/${type.toLowerCase()}`,
        }
      : {}),
    ...(random.chance(0.1)
      ? { show_why_url: `https://example.com/policies/${random.int(90)}` }
      : {}),
    ...(random.chance(0.05) ? { tags: [random.pick(tags)] } : {}),
    is_confidential: random.chance(0.03),
    has_survey: random.chance(0.1),
    has_comments: random.chance(0.3),
    has_history: random.chance(0.4),
    has_actions: random.chance(0.4),
    has_contents: random.chance(0.4),
    has_key_attributes: random.chance(0.2),
    ...(random.chance(0.01) && place > 2 ? { deleted: true } : {}),
    user_states: [0, 1].map((step) => ({
      user: `store${unit}.${(others + step) % USERS_PER_UNIT}`,
      pin: random.chance(0.2),
      favorite_flag: random.chance(0.2),
      acknowledged_flag: random.chance(0.4),
      follow: random.chance(0.05),
      watch_flag: random.chance(0.03),
      flag: random.chance(0.1),
      has_action: random.chance(0.3),
      action_taken_flag: random.chance(0.2),
      has_user_notes: random.chance(0.1),
    })),
  };
}
