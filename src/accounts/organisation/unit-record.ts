import * as z from 'zod';
import { nameField, timeZoneField } from '../../core/records/record-fields.ts';
import { changedIf, oneByOneInDomain, type RecordKind } from '../../core/records/record-kind.ts';
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
  write: oneByOneInDomain(async ({ value, domainId }, run) => {
    const { unit } = run.db.prisma;
    const known = run.directory.scope('unit', domainId, value.name);
    const timeZone = value.time_zone ?? known?.timeZone ?? 'UTC';
    const { name } = value;
    const updated =
      known &&
      (await unit.updateMany({
        where: { id: known.id, OR: [{ name: { not: name } }, { timeZone: { not: timeZone } }] },
        data: { name, timeZone },
      }));
    const { id } =
      known ??
      (await unit.create({
        data: { domainId, name, nameFold: fold(name), timeZone },
        select: { id: true },
      }));
    run.directory.addScope('unit', domainId, name, { id, timeZone });
    return updated ? changedIf(updated.count > 0) : 'new';
  }),
};
