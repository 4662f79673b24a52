import * as z from 'zod';
import { filledText, nameField, text } from '../../../core/records/record-fields.ts';
import { describeImpossibleDay } from '../../../core/records/parse-time.ts';
import { changedIf, findDomain, type RecordKind } from '../../../core/records/record-kind.ts';
import { feedFilterTypes } from '../selection/feed-filter.sql.ts';
import { feedSort } from '../selection/feed-order.ts';
import { saveSystemFilters } from './feed-part-writes.sql.ts';
import * as values from '../selection/filter-values.ts';

const days = z
  .array(
    z.iso
      .date({
        error: ({ input }) => describeImpossibleDay(input) ?? 'expected a day such as 2026-03-29',
      })
      .refine((day) => !day.startsWith('0000'), 'is a day of the year 0, which no calendar has'),
  )
  .max(400);

/** What a record may hold for each type of a filter's values: GraphQL's names, and less than is stored. */
const recordTypes = new Map<z.ZodType, z.ZodType>([
  [values.flag, z.boolean()],
  [values.text, text(200)],
  [values.texts, z.array(filledText(200)).max(200)],
  [values.integers, z.array(z.int().min(0).max(999_999)).max(200)],
  [values.instant, z.int().min(0)],
  [values.days, days],
  [values.statuses, z.array(values.statuses.element.in)],
  [values.view, values.view.in],
  [values.taskView, values.taskView.in],
]);

/** A FeedFilter as GraphQL takes it. */
const criteria = z.strictObject(
  Object.fromEntries(
    Object.entries(feedFilterTypes).map(([name, type]) => {
      const recordType = recordTypes.get(type);
      if (!recordType) throw new Error(`no record can hold the filter ${name}`);
      return [name, recordType.optional()];
    }),
  ),
);

const schema = z
  .strictObject({
    record: z.literal('filter'),
    domain: nameField,
    filter_id: filledText(100).regex(/^\S+$/, 'must not hold spaces'),
    name: nameField,
    layout: z.enum(['M', 'W', 'D', 'P']).default('M'),
    calendar_type: filledText(100).default('CALENDAR'),
    criteria: criteria.default({}),
    sort: feedSort.default([]),
  })
  .meta({
    description:
      'A system filter, named by `filter_id` in requests. `criteria` is a GraphQL FeedFilter.',
  });

/** Import record `filter`. */
export const filterRecord: RecordKind<z.infer<typeof schema>> = {
  name: 'filter',
  schema,
  key: (value) => `${value.filter_id} ${value.domain}`,
  async write(batch, run) {
    const filters = batch.flatMap(({ line, value }) => {
      const domainId = findDomain(run, line, value.domain);
      return domainId === undefined ? [] : [{ ...value, domain_id: domainId }];
    });
    const keyOf = (domainId: number, filterId: string): string => `${filterId} ${domainId}`;
    const known = await run.db.prisma.systemFilter.findMany({
      where: { filterId: { in: filters.map((filter) => filter.filter_id) } },
      select: { domainId: true, filterId: true },
    });
    const old = new Set(known.map((filter) => keyOf(filter.domainId, filter.filterId)));
    const saved = await saveSystemFilters.rows(run.db, { rows: JSON.stringify(filters) });
    const written = new Set(saved.map((filter) => keyOf(filter.domainId, filter.filterId)));
    return filters.map((filter) => {
      const key = keyOf(filter.domain_id, filter.filter_id);
      return old.has(key) ? changedIf(written.has(key)) : 'new';
    });
  },
};
