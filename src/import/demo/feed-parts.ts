import { colleagues, mainUsers } from './people.ts';
import { units } from './organisation.ts';
import type { Random } from './random.ts';
import { statusOf, type Span } from './schedule.ts';
import { attributes, descriptions, places, products, tags } from './vocabulary.ts';

const MINUTE = 60_000;

/** Everyone who may own or be given work. */
export const people = [...mainUsers, ...colleagues] as const;

/** Shared by all generators of feeds: one source of randomness, one time, one sequence of keys. */
export interface Maker {
  random: Random;
  now: number;
  nextKey(): number;
}

/** Fields common to every kind of work. */
export function common(maker: Maker, span: Span): { feed_key: number } & Record<string, unknown> {
  const { random, now } = maker;
  const owner = random.pick(people);
  const created = Math.min(now, now + (span.start - 1 - random.int(14)) * 1440 * MINUTE);
  const updated = created + random.int(Math.max(1, (now - created) / MINUTE)) * MINUTE;
  const acted = random.chance(0.5);
  return {
    feed_key: maker.nextKey(),
    domain: 'demo',
    profile: random.weigh([
      ['Associate', 60],
      ['Supervisor', 30],
      ['Leader', 10],
    ]),
    status: statusOf(random, span),
    priority: random.weigh([
      [1, 10],
      [2, 20],
      [3, 40],
      [4, 20],
      [5, 10],
    ]),
    owner: owner.login,
    feed_owner: owner.display_name,
    feed_description: fill(random, random.pick(descriptions)),
    create_dtm: new Date(created).toISOString(),
    last_updated_time: updated,
    requestor_level: random.pick(['HQ', 'REGION', 'STORE']),
    exec_level: random.pick(['1', '2', '3']),
    org_level: random.pick(['STORE', 'DISTRICT', 'REGION']),
    has_comments: random.chance(0.3),
    has_survey: random.chance(0.1),
    has_contents: random.chance(0.4),
    has_key_attributes: random.chance(0.2),
    has_actions: acted,
    has_history: acted,
    is_edited: random.chance(0.15),
    thread_flag: random.chance(0.2) ? 1 : 0,
    tags: random.chance(0.5) ? [random.pick(tags), random.pick(tags)] : [],
    attributes: random.chance(0.35) ? [attributeOf(random)] : [],
    user_states: statesOf(random),
    ...(acted
      ? {
          last_action_time: updated,
          transaction_key: 500_000 + random.int(400_000),
          txn_dtm: new Date(updated).toISOString(),
        }
      : {}),
    ...(random.chance(0.1)
      ? {
          feed_params: { effort_minutes: 15 * (1 + random.int(12)) },
          additional_attributes: { vendor: `V${100 + random.int(900)}` },
        }
      : {}),
    ...(random.chance(0.05) ? { title_css: 'font-weight:600', lock_status: 'LOCKED' } : {}),
  };
}

/** Most work is for the stores of the three logins. */
export function storeOf(random: Random): string {
  return random.weigh([
    [units[0].name, 45],
    [units[1].name, 30],
    [units[2].name, 13],
    [units[3].name, 12],
  ]);
}

/** Half of the work goes to a department, some to a whole store, the rest to persons. */
export function assignmentsOf(random: Random, dept: string, unit: string): object[] {
  const way = random.weigh([
    ['dept', 50],
    ['unit', 15],
    ['user', 35],
  ]);
  if (way === 'dept') return [{ dept }];
  if (way === 'unit') return [{ unit }];
  const assignee = random.chance(0.5) ? random.pick(mainUsers) : random.pick(people);
  const reviewer = random.chance(0.2)
    ? [{ user: random.pick(people).login, role: 'REVIEWER', assigned_role: 'Reviewer' }]
    : [];
  return [
    {
      user: assignee.login,
      role: random.chance(0.3) ? 'EXECUTOR' : 'ASSIGNEE',
      assigned_role: assignee.profile,
    },
    ...reviewer,
  ];
}

function statesOf(random: Random): object[] {
  return mainUsers
    .filter(() => random.chance(0.16))
    .map(({ login }) => ({
      user: login,
      pin: random.chance(0.3),
      favorite_flag: random.chance(0.3),
      follow: random.chance(0.2),
      acknowledged_flag: random.chance(0.4),
      watch_flag: random.chance(0.1),
      promote_to_note_flag: random.chance(0.1),
      flag: random.chance(0.15),
      has_action: random.chance(0.3),
      action_taken_flag: random.chance(0.2),
      has_user_notes: random.chance(0.1),
    }));
}

function attributeOf(random: Random): object {
  const { scope, name, values } = random.pick(attributes);
  return { scope, name, value: random.pick<string>(values) };
}

/** Fills the placeholders of a text. */
export function fill(random: Random, template: string): string {
  return template
    .replace('{p}', () => random.pick(products))
    .replace('{l}', () => random.pick(places))
    .replace('{n}', () => String(5 * (1 + random.int(14))));
}
