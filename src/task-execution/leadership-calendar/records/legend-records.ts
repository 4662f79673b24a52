import * as z from 'zod';
import { filledText, nameField } from '../../../core/records/record-fields.ts';
import { changedIf, oneByOneInDomain, type RecordKind } from '../../../core/records/record-kind.ts';
import { giveLegend } from '../leadership-calendar.sql.ts';

const category = z
  .strictObject({
    record: z.literal('leadership_category'),
    domain: nameField,
    name: nameField,
    position: z.int32().default(0),
  })
  .meta({ description: 'A heading of the leadership calendar.' });

/** Import record `leadership_category`. */
export const leadershipCategoryRecord: RecordKind<z.infer<typeof category>> = {
  name: 'leadership_category',
  schema: category,
  key: ({ domain, name }) => `${domain} ${name}`,
  write: oneByOneInDomain(async ({ value, domainId }, run) => {
    const { leadershipCategory } = run.db.prisma;
    const { name, position } = value;
    const where = { domainId_name: { domainId, name } };
    const old = await leadershipCategory.findUnique({ where });
    if (!old) await leadershipCategory.create({ data: { domainId, name, position } });
    else if (old.position !== position)
      await leadershipCategory.update({ where, data: { position } });
    return old ? changedIf(old.position !== position) : 'new';
  }),
};

const legend = z
  .strictObject({
    record: z.literal('leadership_legend'),
    domain: nameField,
    name: nameField,
    legend_type_id: z.int32().min(0),
    color: filledText(50).meta({ description: 'CSS colour.' }),
    feed_keys: z
      .array(z.int().min(1))
      .max(10_000)
      .optional()
      .meta({ description: 'Projects that get this legend; each has one, the last given.' }),
  })
  .meta({
    description:
      'A colour of the leadership calendar and what it means, and projects that carry it.',
  });

/** Import record `leadership_legend`. */
export const leadershipLegendRecord: RecordKind<z.infer<typeof legend>> = {
  name: 'leadership_legend',
  schema: legend,
  key: ({ domain, name }) => `${domain} ${name}`,
  write: oneByOneInDomain(async ({ line, value, domainId }, run) => {
    const { leadershipLegend } = run.db.prisma;
    const { name, color, legend_type_id: legendTypeId } = value;
    const where = { domainId_name: { domainId, name } };
    const old = await leadershipLegend.findUnique({ where });
    const changed = old !== null && (old.legendTypeId !== legendTypeId || old.color !== color);
    const { id: legendId } =
      old ?? (await leadershipLegend.create({ data: { domainId, name, legendTypeId, color } }));
    if (changed) await leadershipLegend.update({ where, data: { legendTypeId, color } });
    const feedKeys = [...new Set(value.feed_keys ?? [])];
    const linked = await giveLegend.rows(run.db, { legendId, domainId, feedKeys });
    if (linked.length !== feedKeys.length)
      run.problem(
        line,
        'feed_keys',
        `names feeds that are no projects of domain "${value.domain}"`,
      );
    return old ? changedIf(changed || linked.some((feed) => feed.isChanged)) : 'new';
  }),
};
