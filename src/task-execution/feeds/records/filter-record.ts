import { z } from 'zod';
import { filledText, nameField, text } from '../../../core/records/record-fields.ts';
import { describeImpossibleDay } from '../../../core/records/parse-time.ts';
import { findDomain, type RecordKind } from '../../../core/records/record-kind.ts';

const tokens = z.array(filledText(200)).max(200);
const days = z
  .array(
    z.iso.date({
      error: ({ input }) => describeImpossibleDay(input) ?? 'expected a day such as 2026-03-29',
    }),
  )
  .max(400);

/** A FeedFilter as GraphQL takes it. */
const criteria = z.strictObject({
  pin: z.boolean().optional(),
  favorite: z.boolean().optional(),
  follow: z.boolean().optional(),
  acknowledged: z.boolean().optional(),
  promotedToNote: z.boolean().optional(),
  messageTypes: tokens.optional(),
  statuses: z
    .array(
      z.enum(['NEW', 'REVIEWED', 'IN_PROGRESS', 'OVERDUE', 'COMPLETED', 'FORCE_CLOSED', 'EXPIRED']),
    )
    .optional(),
  priorities: z.array(z.int().min(0).max(999_999)).max(200).optional(),
  feedTitle: text(200).optional(),
  comAttrValues: tokens.optional(),
  msgAttrValues: tokens.optional(),
  view: z.enum(['MY_VIEW', 'DEPARTMENT_VIEW', 'STORE_VIEW']).optional(),
  taskView: z.enum(['PROJECT_VIEW', 'TASK_VIEW']).optional(),
  feedTypeIds: tokens.optional(),
  tags: tokens.optional(),
  selectedDates: days.optional(),
  weekDates: days.optional(),
  cutOffTime: z.int().min(0).optional(),
});

const order = z.strictObject({
  field: z.enum([
    'PROFILE_ID',
    'END_DATE_TIME',
    'PRIORITY',
    'START_DATE_TIME',
    'FEED_TITLE',
    'FEED_TYPE_ID',
  ]),
  direction: z.enum(['ASC', 'DESC']).default('ASC'),
});

const schema = z
  .strictObject({
    record: z.literal('filter'),
    domain: nameField,
    filter_id: filledText(100).regex(/^\S+$/, 'must not hold spaces'),
    name: nameField,
    layout: z.enum(['M', 'W', 'D', 'P']).default('M'),
    calendar_type: filledText(100).default('CALENDAR'),
    criteria: criteria.default({}),
    sort: z.array(order).max(6).default([]),
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
    await run.client.query(
      `INSERT INTO system_filter AS f (domain_id, filter_id, name, layout, calendar_type, criteria, sort)
       SELECT domain_id, filter_id, name, layout, calendar_type, criteria, sort FROM jsonb_populate_recordset(NULL::system_filter, $1::jsonb)
       ON CONFLICT (domain_id, filter_id) DO UPDATE SET
         (name, layout, calendar_type, criteria, sort) = ROW(excluded.name, excluded.layout, excluded.calendar_type, excluded.criteria, excluded.sort)
       WHERE (f.name, f.layout, f.calendar_type, f.criteria, f.sort)
         IS DISTINCT FROM (excluded.name, excluded.layout, excluded.calendar_type, excluded.criteria, excluded.sort)`,
      [JSON.stringify(filters)],
    );
  },
};
