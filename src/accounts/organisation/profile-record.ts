import { z } from 'zod';
import { nameField, permissionsField } from '../../core/records/record-fields.ts';
import { findDomain, type RecordKind } from '../../core/records/record-kind.ts';
import { fold } from '../../core/text.ts';
import { replacePermissions } from './replace-permissions.ts';

const schema = z
  .strictObject({
    record: z.literal('profile'),
    domain: nameField,
    name: nameField,
    permissions: permissionsField.optional(),
  })
  .meta({ description: 'A job profile; its permissions hold for everyone who has it.' });

/** Import record `profile`. */
export const profileRecord: RecordKind<z.infer<typeof schema>> = {
  name: 'profile',
  schema,
  key: (value) => `${value.domain} ${fold(value.name)}`,
  async write(batch, run) {
    for (const { line, value } of batch) {
      const domainId = findDomain(run, line, value.domain);
      if (domainId === undefined) continue;
      const { rows } = await run.client.query<{ id: number }>(
        `INSERT INTO profile AS p (domain_id, name, name_fold) VALUES ($1, $2, $3)
         ON CONFLICT (domain_id, name_fold) DO UPDATE SET name = excluded.name WHERE p.name <> excluded.name RETURNING id`,
        [domainId, value.name, fold(value.name)],
      );
      for (const row of rows)
        run.directory.addScope('profile', domainId, value.name, { id: row.id, timeZone: 'UTC' });
      const profile = run.directory.scope('profile', domainId, value.name);
      if (profile && value.permissions)
        await replacePermissions(run.client, 'PROFILE', profile.id, value.permissions);
    }
  },
};
