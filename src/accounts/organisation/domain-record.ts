import { z } from 'zod';
import { nameField } from '../../core/records/record-fields.ts';
import type { Effect, RecordKind } from '../../core/records/record-kind.ts';

const schema = z
  .strictObject({ record: z.literal('domain'), name: nameField })
  .meta({ description: 'A tenant. Nothing is ever visible across domains.' });

/** Import record `domain`. */
export const domainRecord: RecordKind<z.infer<typeof schema>> = {
  name: 'domain',
  schema,
  key: (value) => value.name,
  async write(batch, { db, directory }) {
    const effects: Effect[] = [];
    for (const { value } of batch) {
      const isKnown = directory.domain(value.name) !== undefined;
      effects.push(isKnown ? 'same' : 'new');
      if (isKnown) continue;
      const { id } = await db.prisma.domain.create({
        data: { name: value.name },
        select: { id: true },
      });
      directory.addDomain(value.name, id);
    }
    return effects;
  },
};
