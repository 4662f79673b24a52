import { signedIn } from '../../../auth/guards.ts';
import { builder } from '../../../core/graphql/builder.ts';
import { onceADay, replayedByKey } from '../../../core/graphql/user-errors.ts';
import type { Created } from '../../content/create-once.ts';
import type { DatasetImage } from '../../images/image.ts';
import { DatasetImageRef } from '../../images/schema.ts';
import { decodeId } from '../../envelope/decode-id.ts';
import {
  asSent,
  changeErrors,
  creationErrors,
  returnedAsSent,
} from '../../envelope/schema-errors.ts';
import { addAnnotationClasses } from './add-annotation-classes.ts';
import type { AnnotationClass } from './list-annotation-classes.ts';
import { loadAnnotationClasses } from './load-annotation-classes.ts';
import { annotateImage } from './annotate-image.ts';
import { MAX_ANNOTATIONS } from './replace-annotations.ts';
import { reviewImage } from './review-image.ts';
import { ProjectRef } from '../schema.ts';
import { costs } from '../../../core/graphql/field-cost.ts';

const AnnotationClassRef = builder.objectRef<AnnotationClass>('AnnotationClass').implement({
  description: "A class of a project's annotations; a category in COCO.",
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name, unique in the project.' }),
    color: t.exposeString('color', { description: 'Colour for display, #rrggbb.' }),
    position: t.exposeInt('position', {
      description: 'Place in the list, starting at 1; the id of the category in COCO.',
    }),
  }),
});

builder.objectField(ProjectRef, 'classes', (t) =>
  t.field({
    type: [AnnotationClassRef],
    extensions: costs({ rows: 40 }),
    description: 'Its annotation classes, in order of position.',
    resolve: ({ id }, _, ctx) => loadAnnotationClasses(signedIn(ctx), id),
  }),
);

const AnnotationClassInput = builder.inputType('AnnotationClassInput', {
  description: 'A class to add, or to give another colour.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Name, unique in the project.' }),
    color: t.string({
      description: 'Colour for display, #rrggbb; chosen automatically when omitted.',
    }),
  }),
});
const AddAnnotationClassesInput = builder.inputType('AddAnnotationClassesInput', {
  description: 'Classes for a project.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Global id of the project.' }),
    classes: t.field({
      type: [AnnotationClassInput],
      required: true,
      description: 'The classes, in the order of their positions.',
    }),
    idempotencyKey: t.string({ description: onceADay }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const AddAnnotationClassesPayload = builder
  .objectRef<Created<AnnotationClass[]> & { clientMutationId: string | null | undefined }>(
    'AddAnnotationClassesPayload',
  )
  .implement({
    description: 'Result of adding annotation classes.',
    fields: (t) => ({
      classes: t.expose('created', {
        type: [AnnotationClassRef],
        extensions: costs({ rows: 40 }),
        description: 'All classes of the project.',
      }),
      replayed: t.exposeBoolean('replayed', { description: replayedByKey }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });
builder.mutationField('addAnnotationClasses', (t) =>
  t.field({
    type: AddAnnotationClassesPayload,
    description: 'Adds annotation classes to a project, and changes the colours of existing ones.',
    errors: {
      types: creationErrors,
      union: {
        name: 'AddAnnotationClassesResult',
        description: 'Outcome of addAnnotationClasses.',
      },
    },
    args: {
      input: t.arg({
        type: AddAnnotationClassesInput,
        required: true,
        description: 'Project and classes.',
      }),
    },
    resolve: async (_, { input }, ctx) => ({
      ...(await addAnnotationClasses(signedIn(ctx), {
        ...input,
        projectId: decodeId('Project', input.projectId),
      })),
      clientMutationId: input.clientMutationId,
    }),
  }),
);

const AnnotationShapeEnum = builder.enumType('AnnotationShape', {
  description: 'Shape of an annotation on its image.',
  values: {
    BBOX: { description: 'A box; geometry: [x, y, width, height] in pixels of the upright image.' },
    POLYGON: {
      description: 'A polygon; geometry: rings [x1, y1, x2, y2, …] in pixels of the upright image.',
    },
    MASK: {
      description:
        'A mask of pixels; geometry: {size: [height, width], counts}, run lengths as COCO writes them, plain or compressed.',
    },
    CLASSIFICATION: {
      description:
        'Where it is on the image, in the form that the shape requires; omit it for CLASSIFICATION.',
    },
  } as const,
});
const AnnotationInputRef = builder.inputType('AnnotationInput', {
  description: 'One annotation.',
  fields: (t) => ({
    className: t.string({ required: true, description: 'Name of a class of the project.' }),
    shape: t.field({
      type: AnnotationShapeEnum,
      required: true,
      description: 'Shape of the annotation.',
    }),
    geometry: t.field({ type: 'JSON', description: 'In the form that the shape requires.' }),
  }),
});
const AnnotateImageInput = builder.inputType('AnnotateImageInput', {
  description: 'All annotations of an image in a project.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Global id of the project.' }),
    imageId: t.id({
      required: true,
      description: 'Global id of the image, which must be in a dataset of the project.',
    }),
    annotations: t.field({
      type: [AnnotationInputRef],
      required: true,
      description:
        'All annotations of the image, which replace the existing ones. At most 2,000; send large numbers as a variable. An empty list means "there is nothing on it".',
      extensions: { maxItems: MAX_ANNOTATIONS },
    }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const AnnotateImagePayload = builder
  .objectRef<{ image: DatasetImage; clientMutationId: string | null | undefined }>(
    'AnnotateImagePayload',
  )
  .implement({
    description: 'Result of annotating or reviewing an image.',
    fields: (t) => ({
      image: t.expose('image', { type: DatasetImageRef, description: 'The image as it is now.' }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });
builder.mutationField('annotateImage', (t) =>
  t.field({
    type: AnnotateImagePayload,
    description: 'Replaces the annotations of an image in a project and marks it as annotated.',
    errors: {
      types: changeErrors,
      union: { name: 'AnnotateImageResult', description: 'Outcome of annotateImage.' },
    },
    args: {
      input: t.arg({
        type: AnnotateImageInput,
        required: true,
        description: 'Project, image and annotations.',
      }),
    },
    resolve: async (_, { input }, ctx) => {
      const annotations = input.annotations.map(({ className, shape, geometry }) => ({
        className,
        shape,
        geometry,
      }));
      const image = await annotateImage(signedIn(ctx), {
        projectId: decodeId('Project', input.projectId),
        imageId: decodeId('DatasetImage', input.imageId, 'Image'),
        annotations,
      });
      return { image, clientMutationId: input.clientMutationId };
    },
  }),
);

const ReviewStateEnum = builder.enumType('ReviewState', {
  description: 'State of an image in a project.',
  values: {
    NONE: { description: 'It has not been annotated yet.' },
    ANNOTATED: { description: 'It is marked as annotated, possibly without annotations.' },
    ACCEPTED: { description: 'Its annotations are accepted.' },
    REJECTED: { description: 'Its annotations are rejected.' },
  } as const,
});
const ReviewImageInput = builder.inputType('ReviewImageInput', {
  description: 'The state of an image in a project.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Global id of the project.' }),
    imageId: t.id({
      required: true,
      description: 'Global id of the image, which must be in a dataset of the project.',
    }),
    state: t.field({ type: ReviewStateEnum, required: true, description: 'The new state.' }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
builder.mutationField('reviewImage', (t) =>
  t.field({
    type: AnnotateImagePayload,
    description: 'Accepts, rejects or reopens the annotations of an image in a project.',
    errors: {
      types: changeErrors,
      union: { name: 'ReviewImageResult', description: 'Outcome of reviewImage.' },
    },
    args: {
      input: t.arg({
        type: ReviewImageInput,
        required: true,
        description: 'Project, image and state.',
      }),
    },
    resolve: async (_, { input }, ctx) => {
      const image = await reviewImage(signedIn(ctx), {
        projectId: decodeId('Project', input.projectId),
        imageId: decodeId('DatasetImage', input.imageId, 'Image'),
        state: input.state,
      });
      return { image, clientMutationId: input.clientMutationId };
    },
  }),
);
