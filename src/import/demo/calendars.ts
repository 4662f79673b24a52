import type { Random } from './random.ts';
import { compactDayOf } from './schedule.ts';

const legends = [
  ['Sales', 1, '#047857'],
  ['Operations', 2, '#1d4ed8'],
  ['Build and repair', 3, '#b45309'],
  ['People', 4, '#6d28d9'],
] as const;

const notes = [
  'Regional team visits at 10',
  'Ask Priya about the new rails',
  'Inventory team off',
  'Prepare the quarterly review',
  'Betriebsversammlung vorbereiten',
] as const;

/** The leadership calendar: categories, legends on most projects, and notes around today. `now` is midnight UTC. */
export function* calendarRecords(
  random: Random,
  now: number,
  projectKeys: readonly number[],
): Generator<object> {
  for (const [position, name] of [
    'Promotions',
    'Store standards',
    'Projects',
    'Training',
  ].entries())
    yield { record: 'leadership_category', domain: 'demo', name, position };
  const byLegend = new Map<string, number[]>(legends.map(([name]) => [name, []]));
  for (const key of projectKeys)
    if (random.chance(0.8)) byLegend.get(random.pick(legends)[0])?.push(key);
  for (const [name, type, color] of legends)
    yield {
      record: 'leadership_legend',
      domain: 'demo',
      name,
      legend_type_id: type,
      color,
      feed_keys: byLegend.get(name) ?? [],
    };
  for (const user of ['leader', 'supervisor', 'associate']) {
    for (const [index, note] of notes.entries())
      yield { record: 'calendar_note', user, date: compactDayOf(now, index * 6 - 12), note };
  }
  for (const [offset, note] of [
    [-30, 'Close the open safety actions.'],
    [0, 'Focus: freshness and queues at the checkout.'],
    [30, 'Season change: plan the people first.'],
  ] as const) {
    yield {
      record: 'monthly_note',
      domain: 'demo',
      month: compactDayOf(now, offset).slice(0, 6),
      note,
    };
  }
  yield {
    record: 'monthly_note',
    domain: 'demo',
    user: 'leader',
    month: compactDayOf(now, 0).slice(0, 6),
    note: 'Budget talk on the 20th.',
  };
}
