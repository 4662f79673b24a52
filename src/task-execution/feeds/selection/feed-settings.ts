import * as z from 'zod';
import type { SignedInContext } from '../../../core/context/context.ts';
import { readConfiguration, type Configuration } from '../../configuration/read-configuration.ts';

const DAY = 86_400_000;

/** Configuration that affects feeds. */
export interface FeedSettings {
  /** An open feed that ended before this instant (epoch milliseconds) is overdue (D-50). */
  overdueBefore: number;
  /** Configured order, as `key` and A or D; empty when none is configured (D-19). */
  sortOrder: { key: string; value: string }[];
  /** Configured priorities, ascending, with their descriptions (D-38). */
  priorities: { priority: number; description: string | null }[];
}

const overdueDateSpan = z.number().int().catch(0);
const sortOrder = z.array(z.object({ key: z.string(), value: z.string() })).catch([]);
const priorityData = z
  .record(z.string().regex(/^\d+$/), z.object({ priority_desc: z.string().nullish() }))
  .catch({});

const parsed = new WeakMap<
  Configuration,
  Omit<FeedSettings, 'overdueBefore'> & { overdueDays: number }
>();

/** The feed settings that apply to the viewer. A missing setting has its documented default. */
export async function readFeedSettings(ctx: SignedInContext): Promise<FeedSettings> {
  const configuration = await readConfiguration(ctx);
  let settings = parsed.get(configuration);
  if (!settings) parsed.set(configuration, (settings = parseSettings(configuration)));
  const { overdueDays, sortOrder, priorities } = settings;
  return { overdueBefore: ctx.clock() - overdueDays * DAY, sortOrder, priorities };
}

function parseSettings(
  configuration: Configuration,
): Omit<FeedSettings, 'overdueBefore'> & { overdueDays: number } {
  const value = (key: string): unknown => configuration.get(key)?.value;
  return {
    overdueDays: overdueDateSpan.parse(value('overdue_date_span')),
    sortOrder: sortOrder.parse(value('sort_order')),
    priorities: Object.entries(priorityData.parse(value('priority_data')))
      .map(([priority, data]) => ({
        priority: Number(priority),
        description: data.priority_desc ?? null,
      }))
      .sort((a, b) => a.priority - b.priority),
  };
}
