import { z } from 'zod';
import { nameField } from '../../core/records/record-fields.ts';
import {
  changedIf,
  findDomain,
  oneByOne,
  type RecordKind,
} from '../../core/records/record-kind.ts';
import { fold } from '../../core/text.ts';

const schema = z
  .strictObject({ record: z.literal('dept'), domain: nameField, name: nameField })
  .meta({ description: 'A department; also a group that work is addressed to.' });

/** Import record `dept`. */
export const deptRecord: RecordKind<z.infer<typeof schema>> = {
  name: 'dept',
  schema,
  key: (value) => `${value.domain} ${fold(value.name)}`,
  write: oneByOne(async ({ line, value }, run) => {
    const { dept } = run.db.prisma;
    const domainId = findDomain(run, line, value.domain);
    if (domainId === undefined) return undefined;
    const known = run.directory.scope('dept', domainId, value.name);
    if (known) {
      const { count } = await dept.updateMany({
        where: { id: known.id, OR: [{ name: { not: value.name } }, { NOT: { removedAt: null } }] },
        data: { name: value.name, removedAt: null },
      });
      return changedIf(count > 0);
    }
    const { id } = await dept.create({
      data: { domainId, name: value.name, nameFold: fold(value.name) },
      select: { id: true },
    });
    run.directory.addScope('dept', domainId, value.name, { id, timeZone: 'UTC' });
    return 'new';
  }),
};
