import * as z from 'zod';
import { nameField } from '../../core/records/record-fields.ts';
import { oneByOne, type RecordKind } from '../../core/records/record-kind.ts';

const schema = z
  .strictObject({ record: z.literal('domain'), name: nameField })
  .meta({ description: 'A tenant. Nothing is ever visible across domains.' });

/** Import record `domain`. */
export const domainRecord: RecordKind<z.infer<typeof schema>> = {
  name: 'domain',
  schema,
  key: (value) => value.name,
  write: oneByOne(async ({ value: { name } }, { db, directory }) => {
    if (directory.domain(name) !== undefined) return 'same';
    const { id } = await db.prisma.domain.create({ data: { name }, select: { id: true } });
    directory.addDomain(name, id);
    return 'new';
  }),
};
