import * as z from 'zod';
import { nameField, permissionsField } from '../../core/records/record-fields.ts';
import { changedIf, oneByOneInDomain, type RecordKind } from '../../core/records/record-kind.ts';
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
  write: oneByOneInDomain(async ({ value, domainId }, run) => {
    const { profile } = run.db.prisma;
    const known = run.directory.scope('profile', domainId, value.name);
    const { name, permissions } = value;
    const renamed =
      known &&
      (await profile.updateMany({ where: { id: known.id, name: { not: name } }, data: { name } }));
    const { id } =
      known ??
      (await profile.create({
        data: { domainId, name, nameFold: fold(name) },
        select: { id: true },
      }));
    run.directory.addScope('profile', domainId, name, { id, timeZone: 'UTC' });
    const granted =
      permissions && (await replacePermissions(run.db, 'PROFILE', new Map([[id, permissions]])));
    return renamed ? changedIf(renamed.count > 0 || (granted?.size ?? 0) > 0) : 'new';
  }),
};
