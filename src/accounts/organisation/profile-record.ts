import { z } from 'zod';
import { nameField, permissionsField } from '../../core/records/record-fields.ts';
import {
  changedIf,
  findDomain,
  oneByOne,
  type RecordKind,
} from '../../core/records/record-kind.ts';
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
  write: oneByOne(async ({ line, value }, run) => {
    const { profile } = run.db.prisma;
    const domainId = findDomain(run, line, value.domain);
    if (domainId === undefined) return undefined;
    const known = run.directory.scope('profile', domainId, value.name);
    let changed = false;
    if (known) {
      const { count } = await profile.updateMany({
        where: { id: known.id, name: { not: value.name } },
        data: { name: value.name },
      });
      changed = count > 0;
    } else {
      const { id } = await profile.create({
        data: { domainId, name: value.name, nameFold: fold(value.name) },
        select: { id: true },
      });
      run.directory.addScope('profile', domainId, value.name, { id, timeZone: 'UTC' });
    }
    const saved = run.directory.scope('profile', domainId, value.name);
    if (saved && value.permissions) {
      const wanted = new Map([[saved.id, value.permissions]]);
      if ((await replacePermissions(run.db, 'PROFILE', wanted)).size > 0) changed = true;
    }
    return known ? changedIf(changed) : 'new';
  }),
};
