import * as z from 'zod';
import { changedIf, oneByOne, type RecordKind } from '../../core/records/record-kind.ts';
import { contentFields, newContent } from '../content/content-record.ts';

const schema = z
  .strictObject({ record: z.literal('dataset'), ...contentFields })
  .meta({ description: 'A dataset. Its images are uploaded, not imported.' });

/** Import record `dataset`. */
export const datasetRecord: RecordKind<z.infer<typeof schema>> = {
  name: 'dataset',
  schema,
  key: (value) => value.id,
  write: oneByOne(async (entry, run) => {
    const { dataset } = run.db.prisma;
    const now = new Date(run.now);
    const { id, workspace: workspaceId } = entry.value;
    const known = await dataset.findUnique({ where: { id } });
    const content = await newContent('dataset', known, entry, run);
    if (!content) return undefined;
    const data = {
      ...content,
      ...(content.status === 'PUBLISHED' && { publishedAt: now }),
      updatedAt: now,
    };
    if (!known)
      await dataset.create({
        data: { name: '', description: '', ...data, id, workspaceId, createdAt: now },
      });
    else if (Object.keys(content).length > 0)
      await dataset.update({ where: { id }, data: { ...data, version: { increment: 1 } } });
    return known ? changedIf(Object.keys(content).length > 0) : 'new';
  }),
};
