import { z } from 'zod';
import { nameField } from '../../core/records/record-fields.ts';
import type { RecordKind } from '../../core/records/record-kind.ts';

const schema = z
  .strictObject({ record: z.literal('domain'), name: nameField })
  .meta({ description: 'A tenant. Nothing is ever visible across domains.' });

/** Import record `domain`. */
export const domainRecord: RecordKind<z.infer<typeof schema>> = {
  name: 'domain',
  schema,
  key: (value) => value.name,
  async write(batch, { client, directory }) {
    for (const { value } of batch) {
      if (directory.domain(value.name) !== undefined) continue;
      const { rows } = await client.query<{ id: number }>(
        'INSERT INTO domain (name) VALUES ($1) RETURNING id',
        [value.name],
      );
      for (const row of rows) directory.addDomain(value.name, row.id);
    }
  },
};
