import * as z from 'zod';
import { filledText } from '../../../core/records/record-fields.ts';
import {
  changedIf,
  oneByOne,
  type Effect,
  type ImportLine,
  type ImportRun,
  type RecordKind,
} from '../../../core/records/record-kind.ts';
import { attributesForm, attributesSchema } from './attributes.ts';
import { annotationShapes, geometryFault } from './geometry.ts';
import { listAnnotationClasses } from './list-annotation-classes.ts';
import { holdProject, lockProjectImage } from '../projects.sql.ts';
import { MAX_ANNOTATIONS, replaceAnnotations, toWritten } from './replace-annotations.ts';

const schema = z
  .strictObject({
    record: z.literal('annotations'),
    project: z.uuid().toLowerCase(),
    image: z
      .uuid()
      .toLowerCase()
      .meta({ description: 'Id of an image of a dataset of the project.' }),
    review: z
      .enum(['ANNOTATED', 'ACCEPTED', 'REJECTED'])
      .optional()
      .meta({ description: 'ANNOTATED when left out.' }),
    annotations: z
      .array(
        z.strictObject({
          class: filledText(200),
          shape: z.enum(annotationShapes),
          geometry: z.unknown().optional(),
          attributes: attributesSchema
            .optional()
            .meta({ description: `By name: ${attributesForm}.` }),
        }),
      )
      .max(MAX_ANNOTATIONS)
      .meta({
        description:
          'All of the image in the project; none means that there is nothing on it. Geometry in pixels: BBOX [x, y, width, height], POLYGON rings [x1, y1, x2, y2, …], POLYLINE lines of that form, POINTS [x1, y1, v1, …] with v 0 (not labelled), 1 (hidden) or 2 (visible), MASK {size: [height, width], counts} as COCO writes run lengths.',
      }),
  })
  .meta({ description: 'The annotations of one image in one project.' });

type AnnotationsRecord = z.infer<typeof schema>;

/** Import record `annotations`. */
export const annotationsRecord: RecordKind<AnnotationsRecord> = {
  name: 'annotations',
  schema,
  key: (value) => `${value.project} ${value.image}`,
  write: oneByOne(writeAnnotations),
};

async function writeAnnotations(
  { line, value }: ImportLine<AnnotationsRecord>,
  run: ImportRun,
): Promise<Effect | undefined> {
  await holdProject.rows(run.db, { id: value.project });
  const size = await lockProjectImage.first(run.db, {
    projectId: value.project,
    imageId: value.image,
  });
  if (!size) {
    run.problem(
      line,
      'image',
      `no image ${value.image} in the datasets of project ${value.project}`,
    );
    return undefined;
  }
  const listed = await listAnnotationClasses(run, value.project);
  const classes = new Map(listed.map(({ id, name }) => [name, id]));
  let faulty = false;
  const annotations = value.annotations.map(({ class: name, ...input }, index) => {
    const classId = classes.get(name.trim());
    const fault = geometryFault(input, size);
    if (classId === undefined)
      run.problem(line, `annotations[${index}].class`, `the project has no class "${name}"`);
    if (fault !== undefined) run.problem(line, `annotations[${index}].geometry`, fault);
    faulty ||= classId === undefined || fault !== undefined;
    return { class_id: classId ?? '', written: toWritten(input) };
  });
  if (faulty) return undefined;
  const [projectId, imageId, state] = [value.project, value.image, value.review ?? 'ANNOTATED'];
  const old = await run.db.prisma.imageReview.findUnique({
    where: { projectId_imageId: { projectId, imageId } },
  });
  const replaced = await replaceAnnotations(run.db, {
    projectId,
    imageId,
    annotations,
    state,
    userId: null,
    now: new Date(run.now),
  });
  return old ? changedIf(replaced || old.state !== state) : 'new';
}
