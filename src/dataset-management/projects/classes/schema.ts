import { signedIn } from '../../../auth/guards.ts';
import { builder } from '../../../core/graphql/builder.ts';
import { decodeId } from '../../envelope/decode-id.ts';
import { asSent, changeErrors, returnedAsSent } from '../../envelope/schema-errors.ts';
import { AnnotationClassRef } from '../annotations/schema.ts';
import { ProjectRef } from '../schema.ts';
import { countClass } from '../image-work/count-work.ts';
import { costs } from '../../../core/graphql/field-cost.ts';
import { readSkeleton, type Skeleton } from '../skeleton.ts';
import type { ClassChange } from './find-class.ts';
import { mergeClasses } from './merge-classes.ts';
import { removeClass } from './remove-class.ts';
import { updateClass } from './update-class.ts';

const points = 'Names of the points, each once.';
const edges = 'Lines between points, as pairs of their numbers from 1, as in COCO.';
const SkeletonRef = builder.objectRef<Skeleton>('Skeleton').implement({
  description: 'Named points of a class of keypoints, and the lines between them.',
  fields: (t) => ({
    points: t.exposeStringList('points', { description: points }),
    edges: t.field({
      type: t.listRef(t.listRef('Int')),
      description: edges,
      resolve: ({ edges: pairs }) => pairs,
    }),
  }),
});
const SkeletonInput = builder.inputType('SkeletonInput', {
  description: 'Named points of a class of keypoints, and the lines between them.',
  fields: (t) => ({
    points: t.stringList({ required: true, description: `${points} 1 to 100.` }),
    edges: t.field({
      type: t.listRef(t.listRef('Int')),
      required: true,
      description: `${edges} At most 500.`,
    }),
  }),
});
builder.objectFields(AnnotationClassRef, (t) => ({
  supercategory: t.exposeString('supercategory', {
    nullable: true,
    description: 'The category above it in COCO; null for none.',
  }),
  skeleton: t.field({
    type: SkeletonRef,
    nullable: true,
    description: 'Its points and lines; null for none.',
    resolve: ({ skeleton }) => readSkeleton(skeleton),
  }),
  annotationsCount: t.int({
    extensions: costs({ weight: 1 }),
    description:
      'Number of its annotations, also on images that are deleted, or in no dataset of the project now.',
    resolve: ({ id }, _, ctx) => countClass(signedIn(ctx), id),
  }),
}));

const projectId = { required: true, description: 'Global id of the project.' } as const;
const UpdateAnnotationClassInput = builder.inputType('UpdateAnnotationClassInput', {
  description: 'What to change of a class; what is left out stays as it is.',
  fields: (t) => ({
    projectId: t.id(projectId),
    name: t.string({ required: true, description: 'Its present name.' }),
    newName: t.string({ description: 'Its new name, unique in the project; drafts only.' }),
    color: t.string({ description: 'Colour for display, #rrggbb.' }),
    supercategory: t.string({ description: 'The category above it in COCO; null for none.' }),
    skeleton: t.field({ type: SkeletonInput, description: 'Points and lines; null for none.' }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const MergeAnnotationClassesInput = builder.inputType('MergeAnnotationClassesInput', {
  description: 'Classes of which to make one.',
  fields: (t) => ({
    projectId: t.id(projectId),
    from: t.stringList({ required: true, description: 'Names of 1 to 100 classes that go.' }),
    into: t.string({ required: true, description: 'Name of the class that stays.' }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const RemoveAnnotationClassInput = builder.inputType('RemoveAnnotationClassInput', {
  description: 'A class to remove.',
  fields: (t) => ({
    projectId: t.id(projectId),
    name: t.string({ required: true, description: 'Its name.' }),
    deleteAnnotations: t.boolean({
      required: true,
      defaultValue: false,
      description: 'Whether its annotations go, too; else a class with annotations stays.',
    }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const ClassChangePayload = builder
  .objectRef<ClassChange & { clientMutationId: string | null | undefined }>('ClassChangePayload')
  .implement({
    description: 'Result of changing the classes of a project.',
    fields: (t) => ({
      project: t.expose('project', { type: ProjectRef, description: 'The project as it is now.' }),
      annotationsCount: t.exposeInt('annotations', {
        description: 'How many annotations were moved to another class or removed.',
      }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });

builder.mutationField('updateAnnotationClass', (t) =>
  t.field({
    type: ClassChangePayload,
    description:
      'Changes the name, colour, supercategory or skeleton of a class. Its annotations and its position stay.',
    errors: {
      types: changeErrors,
      union: {
        name: 'UpdateAnnotationClassResult',
        description: 'Outcome of updateAnnotationClass.',
      },
    },
    args: {
      input: t.arg({
        type: UpdateAnnotationClassInput,
        required: true,
        description: 'The class and its changes.',
      }),
    },
    resolve: async (_, { input: { clientMutationId, ...input } }, ctx) => ({
      project: await updateClass(signedIn(ctx), {
        ...input,
        projectId: decodeId('Project', input.projectId),
        newName: input.newName ?? undefined,
        color: input.color ?? undefined,
      }),
      annotations: 0,
      clientMutationId,
    }),
  }),
);
builder.mutationField('mergeAnnotationClasses', (t) =>
  t.field({
    type: ClassChangePayload,
    description:
      'Makes one class of several: the annotations of the others get the one that stays, and the others are removed. Drafts only.',
    errors: {
      types: changeErrors,
      union: {
        name: 'MergeAnnotationClassesResult',
        description: 'Outcome of mergeAnnotationClasses.',
      },
    },
    args: {
      input: t.arg({
        type: MergeAnnotationClassesInput,
        required: true,
        description: 'The classes.',
      }),
    },
    resolve: async (_, { input: { clientMutationId, ...input } }, ctx) => ({
      ...(await mergeClasses(signedIn(ctx), {
        ...input,
        projectId: decodeId('Project', input.projectId),
      })),
      clientMutationId,
    }),
  }),
);
builder.mutationField('removeAnnotationClass', (t) =>
  t.field({
    type: ClassChangePayload,
    description: 'Removes a class, with its annotations if you say so. Drafts only.',
    errors: {
      types: changeErrors,
      union: {
        name: 'RemoveAnnotationClassResult',
        description: 'Outcome of removeAnnotationClass.',
      },
    },
    args: {
      input: t.arg({ type: RemoveAnnotationClassInput, required: true, description: 'The class.' }),
    },
    resolve: async (_, { input: { clientMutationId, ...input } }, ctx) => ({
      ...(await removeClass(signedIn(ctx), {
        ...input,
        projectId: decodeId('Project', input.projectId),
      })),
      clientMutationId,
    }),
  }),
);
