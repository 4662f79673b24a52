import * as z from 'zod';
import { ValidationError } from '../../core/errors.ts';
import { filledText, loginField } from '../../core/records/record-fields.ts';
import {
  changedIf,
  oneByOne,
  type ImportRun,
  type RecordKind,
} from '../../core/records/record-kind.ts';
import { contentFields, newContent } from '../content/content-record.ts';
import { skeletonShape } from './skeleton.ts';
import { replaceProjectMembers } from './replace-project-members.ts';
import { writeClasses } from './write-classes.ts';

const schema = z
  .strictObject({
    record: z.literal('project'),
    ...contentFields,
    datasets: z
      .array(z.uuid().toLowerCase())
      .max(10_000)
      .optional()
      .meta({ description: 'Ids of datasets of the same workspace; replaces those assigned.' }),
    members: z
      .array(loginField)
      .max(10_000)
      .optional()
      .meta({ description: 'Members of the workspace; replaces those of the project.' }),
    classes: z
      .array(
        z.strictObject({
          name: filledText(200),
          color: z.string().regex(/^#[0-9a-f]{6}$/i, 'expected #rrggbb'),
          supercategory: filledText(200)
            .nullable()
            .optional()
            .meta({ description: 'The category above it in COCO.' }),
          skeleton: skeletonShape.nullable().optional().meta({
            description:
              'Named points of a class of keypoints, and lines between them as pairs of their numbers from 1.',
          }),
        }),
      )
      .max(1000)
      .optional()
      .meta({
        description:
          'Classes that annotations name, in the order of their positions; those of the project are changed, none is removed. A project has at most 10,000.',
      }),
  })
  .meta({ description: 'A project.' });

type ProjectRecord = z.infer<typeof schema>;

/** Import record `project`. */
export const projectRecord: RecordKind<ProjectRecord> = {
  name: 'project',
  schema,
  key: (value) => value.id,
  write: oneByOne(async (entry, run) => {
    const { project } = run.db.prisma;
    const { line, value } = entry;
    const { id, workspace: workspaceId } = value;
    const known = await project.findUnique({ where: { id } });
    const content = await newContent('project', known, entry, run);
    if (!content) return undefined;
    if (!known)
      await project.create({
        data: {
          name: '',
          description: '',
          ...content,
          id,
          workspaceId,
          createdAt: new Date(run.now),
        },
      });
    let changed = Object.keys(content).length > 0;
    if (known && changed)
      await project.update({ where: { id }, data: { ...content, version: { increment: 1 } } });
    if (value.datasets)
      changed = (await replaceDatasets(line, value, value.datasets, run)) || changed;
    if (value.members) {
      const members = await replaceProjectMembers(run.db, { id, workspaceId }, value.members);
      for (const [index, login] of value.members.entries())
        if (members.unknown.has(login))
          run.problem(line, `members[${index}]`, `"${login}" is not a member of the workspace`);
      changed ||= members.changed;
    }
    try {
      if (value.classes) changed = (await writeClasses(run.db, id, value.classes)) || changed;
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      run.problem(line, 'classes', error.message);
    }
    return known ? changedIf(changed) : 'new';
  }),
};

/** Returns whether the project had others. */
async function replaceDatasets(
  line: number,
  { id: projectId, workspace }: ProjectRecord,
  ids: readonly string[],
  run: ImportRun,
): Promise<boolean> {
  const { dataset, projectDataset } = run.db.prisma;
  const datasets = await dataset.findMany({
    where: { id: { in: [...ids] }, workspaceId: workspace, deletedAt: null },
    select: { id: true },
  });
  const known = new Set(datasets.map(({ id }) => id));
  ids.forEach((id, index) => {
    if (!known.has(id))
      run.problem(line, `datasets[${index}]`, `no dataset ${id} in the workspace`);
  });
  if (!ids.every((id) => known.has(id))) return false;
  const removed = await projectDataset.deleteMany({
    where: { projectId, datasetId: { notIn: [...known] } },
  });
  const added = await projectDataset.createMany({
    data: [...known].map((datasetId) => ({
      projectId,
      datasetId,
      assignedAt: new Date(run.now),
    })),
    skipDuplicates: true,
  });
  return removed.count + added.count > 0;
}
