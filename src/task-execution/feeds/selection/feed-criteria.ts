import { z } from 'zod';
import { isStorable } from '../../../core/text.ts';
import { parseDay } from '../../../core/time.ts';
import { feedStatusNames } from '../../terms/feed-status.ts';
import type { FeedFilter } from './feed-filter.ts';
import { feedOrderFields, type FeedOrder } from './feed-order.ts';

/** GraphQL names of the documented two-letter and one-letter codes. */
export const feedViewNames = { MY_VIEW: 'MV', DEPARTMENT_VIEW: 'DV', STORE_VIEW: 'SV' } as const;
export const taskViewNames = { PROJECT_VIEW: 'P', TASK_VIEW: 'T' } as const;

function code<const Names extends Record<string, string>>(
  names: Names,
): z.ZodType<Names[keyof Names], string> {
  return z.string().transform((name, context) => {
    const value = Object.entries(names).find(([known]) => known === name)?.[1];
    if (value !== undefined && isValueOf(names, value)) return value;
    context.addIssue({
      code: 'custom',
      message: `must be one of ${Object.keys(names).join(', ')}`,
    });
    return z.NEVER;
  });
}

function isValueOf<Names extends Record<string, string>>(
  names: Names,
  value: string,
): value is Names[keyof Names] {
  return Object.values(names).includes(value);
}

const text = z.string().max(1_000).refine(isStorable, 'must not hold NUL or lone surrogates');
const texts = z.array(text).max(1_000);
const day = z.string().transform((value, context) => {
  const parsed = /^\d{4}-\d\d-\d\d$/.test(value) ? parseDay(value.replaceAll('-', '')) : undefined;
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: 'custom', message: 'must be a day yyyy-MM-dd' });
  return z.NEVER;
});

/** The criteria of a system filter: a FeedFilter with the names and values of GraphQL's input type. */
export const feedCriteria: z.ZodType<FeedFilter> = z
  .strictObject({
    pin: z.boolean(),
    favorite: z.boolean(),
    follow: z.boolean(),
    acknowledged: z.boolean(),
    promotedToNote: z.boolean(),
    messageTypes: texts,
    statuses: z.array(code(feedStatusNames)),
    priorities: z.array(z.int32()).max(1_000),
    feedTitle: text,
    comAttrValues: texts,
    msgAttrValues: texts,
    view: code(feedViewNames),
    taskView: code(taskViewNames),
    feedTypeIds: texts,
    tags: texts,
    selectedDates: z.array(day).max(1_096),
    weekDates: z.array(day).max(1_096),
    cutOffTime: z.int(),
  })
  .partial();

/** A filter as criteria: what feedCriteria reads back. */
export function criteriaOf(filter: FeedFilter): object {
  const nameOf = (names: Readonly<Record<string, string>>, value: string): string =>
    Object.keys(names).find((name) => names[name] === value) ?? value;
  const isoDay = (value: string): string =>
    `${value.slice(0, 4)}-${value.slice(4, 6)}-${value.slice(6)}`;
  const named = {
    ...filter,
    statuses: filter.statuses?.map((status) => nameOf(feedStatusNames, status)),
    view: filter.view && nameOf(feedViewNames, filter.view),
    taskView: filter.taskView && nameOf(taskViewNames, filter.taskView),
    selectedDates: filter.selectedDates?.map(isoDay),
    weekDates: filter.weekDates?.map(isoDay),
  };
  return Object.fromEntries(
    Object.entries(named).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** The order of a system filter. */
export const feedSort: z.ZodType<FeedOrder[]> = z
  .array(
    z.strictObject({
      field: z.enum(feedOrderFields),
      direction: z.enum(['ASC', 'DESC']).default('ASC'),
    }),
  )
  .max(6);
