import { z } from 'zod';
import { nameField } from '../../core/records/record-fields.ts';
import { findDomain, type RecordKind } from '../../core/records/record-kind.ts';
import { fold } from '../../core/text.ts';

const schema = z
  .strictObject({ record: z.literal('dept'), domain: nameField, name: nameField })
  .meta({ description: 'A department; also a group that work is addressed to.' });

/** Import record `dept`. */
export const deptRecord: RecordKind<z.infer<typeof schema>> = {
  name: 'dept',
  schema,
  key: (value) => `${value.domain} ${fold(value.name)}`,
  async write(batch, run) {
    for (const { line, value } of batch) {
      const domainId = findDomain(run, line, value.domain);
      if (domainId === undefined) continue;
      const { rows } = await run.client.query<{ id: number }>(
        `INSERT INTO dept AS d (domain_id, name, name_fold) VALUES ($1, $2, $3)
         ON CONFLICT (domain_id, name_fold) DO UPDATE SET name = excluded.name WHERE d.name <> excluded.name RETURNING id`,
        [domainId, value.name, fold(value.name)],
      );
      for (const row of rows)
        run.directory.addScope('dept', domainId, value.name, { id: row.id, timeZone: 'UTC' });
    }
  },
};
