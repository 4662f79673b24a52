import { z } from 'zod';
import { nameField, timeZoneField } from '../../core/records/record-fields.ts';
import { findDomain, type RecordKind } from '../../core/records/record-kind.ts';
import { fold } from '../../core/text.ts';

const schema = z
  .strictObject({
    record: z.literal('unit'),
    domain: nameField,
    name: nameField,
    time_zone: timeZoneField.optional(),
  })
  .meta({ description: 'A store. `time_zone` is UTC when left out for a new unit.' });

/** Import record `unit`. */
export const unitRecord: RecordKind<z.infer<typeof schema>> = {
  name: 'unit',
  schema,
  key: (value) => `${value.domain} ${fold(value.name)}`,
  async write(batch, run) {
    for (const { line, value } of batch) {
      const domainId = findDomain(run, line, value.domain);
      if (domainId === undefined) continue;
      const known = run.directory.scope('unit', domainId, value.name);
      const timeZone = value.time_zone ?? known?.timeZone ?? 'UTC';
      const { rows } = await run.client.query<{ id: number }>(
        `INSERT INTO unit AS u (domain_id, name, name_fold, time_zone) VALUES ($1, $2, $3, $4)
         ON CONFLICT (domain_id, name_fold) DO UPDATE SET name = excluded.name, time_zone = excluded.time_zone
         WHERE (u.name, u.time_zone) IS DISTINCT FROM (excluded.name, excluded.time_zone) RETURNING id`,
        [domainId, value.name, fold(value.name), timeZone],
      );
      for (const row of rows)
        run.directory.addScope('unit', domainId, value.name, { id: row.id, timeZone });
    }
  },
};
