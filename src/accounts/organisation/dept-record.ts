import { z } from 'zod';
import { nameField } from '../../core/records/record-fields.ts';
import {
  changedIf,
  findDomain,
  type Effect,
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
  async write(batch, run) {
    const { dept } = run.db.prisma;
    const effects: Effect[] = [];
    for (const { line, value } of batch) {
      const domainId = findDomain(run, line, value.domain);
      if (domainId === undefined) continue;
      const known = run.directory.scope('dept', domainId, value.name);
      if (known) {
        const { count } = await dept.updateMany({
          where: { id: known.id, name: { not: value.name } },
          data: { name: value.name },
        });
        effects.push(changedIf(count > 0));
      } else {
        const { id } = await dept.create({
          data: { domainId, name: value.name, nameFold: fold(value.name) },
          select: { id: true },
        });
        run.directory.addScope('dept', domainId, value.name, { id, timeZone: 'UTC' });
        effects.push('new');
      }
    }
    return effects;
  },
};
