import { z } from 'zod';
import { filledText, nameField } from '../../../core/records/record-fields.ts';
import { findDomain, type RecordKind } from '../../../core/records/record-kind.ts';

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
  async write(batch, run) {
    const rows = batch.flatMap(({ line, value }) => {
      const domainId = findDomain(run, line, value.domain);
      return domainId === undefined ? [] : [{ ...value, domain_id: domainId }];
    });
    await run.client.query(
      `INSERT INTO leadership_category (domain_id, name, position) SELECT domain_id, name, position FROM jsonb_to_recordset($1::jsonb) AS r (domain_id int, name text, position int)
       ON CONFLICT (domain_id, name) DO UPDATE SET position = excluded.position`,
      [JSON.stringify(rows)],
    );
  },
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
  async write(batch, run) {
    for (const { line, value } of batch) {
      const domainId = findDomain(run, line, value.domain);
      if (domainId === undefined) continue;
      const { rows } = await run.client.query<{ id: number }>(
        `INSERT INTO leadership_legend (domain_id, name, legend_type_id, color) VALUES ($1, $2, $3, $4)
         ON CONFLICT (domain_id, name) DO UPDATE SET legend_type_id = excluded.legend_type_id, color = excluded.color RETURNING id`,
        [domainId, value.name, value.legend_type_id, value.color],
      );
      const keys = [...new Set(value.feed_keys ?? [])];
      if (keys.length === 0) continue;
      const linked = await run.client.query(
        `INSERT INTO feed_legend (feed_key, legend_id) SELECT feed_key, $2 FROM feed WHERE feed_key = ANY ($1) AND domain_id = $3 AND kind = 'PROJECT'
         ON CONFLICT (feed_key) DO UPDATE SET legend_id = excluded.legend_id`,
        [keys, rows[0]?.id, domainId],
      );
      if (linked.rowCount !== keys.length)
        run.problem(
          line,
          'feed_keys',
          `names feeds that are no projects of domain "${value.domain}"`,
        );
    }
  },
};
