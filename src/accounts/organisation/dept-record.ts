import * as z from 'zod';
import { nameField } from '../../core/records/record-fields.ts';
import { changedIf, oneByOneInDomain, type RecordKind } from '../../core/records/record-kind.ts';
import { fold } from '../../core/text.ts';

const schema = z
  .strictObject({ record: z.literal('dept'), domain: nameField, name: nameField })
  .meta({ description: 'A department; also a group that work is addressed to.' });

/** Import record `dept`. */
export const deptRecord: RecordKind<z.infer<typeof schema>> = {
  name: 'dept',
  schema,
  key: (value) => `${value.domain} ${fold(value.name)}`,
  write: oneByOneInDomain(async ({ value, domainId }, run) => {
    const { dept } = run.db.prisma;
    const known = run.directory.scope('dept', domainId, value.name);
    const { name } = value;
    if (known) {
      const { count } = await dept.updateMany({
        where: { id: known.id, OR: [{ name: { not: name } }, { NOT: { removedAt: null } }] },
        data: { name, removedAt: null },
      });
      return changedIf(count > 0);
    }
    const { id } = await dept.create({
      data: { domainId, name, nameFold: fold(name) },
      select: { id: true },
    });
    run.directory.addScope('dept', domainId, name, { id, timeZone: 'UTC' });
    return 'new';
  }),
};
