import { signedIn } from '../../../auth/guards.ts';
import { builder } from '../../../core/graphql/builder.ts';
import { mutation, mutationInput, mutationPayload } from '../../../core/graphql/mutations.ts';
import { decodeId } from '../../envelope/decode-id.ts';
import { changeErrors } from '../../envelope/schema-errors.ts';
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
const UpdateAnnotationClassInput = mutationInput('UpdateAnnotationClassInput', {
  description: 'What to change of a class; what is left out stays as it is.',
  fields: (t) => ({
    projectId: t.id(projectId),
    name: t.string({ required: true, description: 'Its present name.' }),
    newName: t.string({ description: 'Its new name, unique in the project; drafts only.' }),
    color: t.string({ description: 'Colour for display, #rrggbb.' }),
    supercategory: t.string({ description: 'The category above it in COCO; null for none.' }),
    skeleton: t.field({ type: SkeletonInput, description: 'Points and lines; null for none.' }),
  }),
});
const MergeAnnotationClassesInput = mutationInput('MergeAnnotationClassesInput', {
  description: 'Classes of which to make one.',
  fields: (t) => ({
    projectId: t.id(projectId),
    from: t.stringList({ required: true, description: 'Names of 1 to 100 classes that go.' }),
    into: t.string({ required: true, description: 'Name of the class that stays.' }),
  }),
});
const RemoveAnnotationClassInput = mutationInput('RemoveAnnotationClassInput', {
  description: 'A class to remove.',
  fields: (t) => ({
    projectId: t.id(projectId),
    name: t.string({ required: true, description: 'Its name.' }),
    deleteAnnotations: t.boolean({
      required: true,
      defaultValue: false,
      description: 'Whether its annotations go, too; else a class with annotations stays.',
    }),
  }),
});
const ClassChangePayload = mutationPayload<ClassChange>('ClassChangePayload', {
  description: 'Result of changing the classes of a project.',
  fields: (t) => ({
    project: t.expose('project', { type: ProjectRef, description: 'The project as it is now.' }),
    annotationsCount: t.exposeInt('annotations', {
      description: 'How many annotations this call has moved to another class or removed.',
    }),
  }),
});

mutation('updateAnnotationClass', {
  description:
    'Changes the name, colour, supercategory or skeleton of a class. Its annotations and its position stay.',
  input: UpdateAnnotationClassInput,
  inputIs: 'The class and its changes.',
  payload: ClassChangePayload,
  failures: changeErrors,
  resolve: async (input, ctx) => ({
    project: await updateClass(signedIn(ctx), {
      ...input,
      projectId: decodeId('Project', input.projectId),
      newName: input.newName ?? undefined,
      color: input.color ?? undefined,
    }),
    annotations: 0,
  }),
});
mutation('mergeAnnotationClasses', {
  description:
    'Makes one class of several: the annotations of the others get the one that stays, and the others are removed. Drafts only. More than 500 annotations go in steps: after a TIMEOUT, the same call goes on from there.',
  input: MergeAnnotationClassesInput,
  inputIs: 'The classes.',
  payload: ClassChangePayload,
  failures: changeErrors,
  resolve: (input, ctx) =>
    mergeClasses(signedIn(ctx), {
      ...input,
      projectId: decodeId('Project', input.projectId),
    }),
});
mutation('removeAnnotationClass', {
  description: 'Removes a class, with its annotations if you say so. Drafts only.',
  input: RemoveAnnotationClassInput,
  inputIs: 'The class.',
  payload: ClassChangePayload,
  failures: changeErrors,
  resolve: (input, ctx) =>
    removeClass(signedIn(ctx), {
      ...input,
      projectId: decodeId('Project', input.projectId),
    }),
});
