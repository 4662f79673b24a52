import { signedIn } from '../../../auth/guards.ts';
import { ConflictError } from '../../../core/errors.ts';
import { builder } from '../../../core/graphql/builder.ts';
import { mutation, mutationInput, mutationPayload } from '../../../core/graphql/mutations.ts';
import { onlyVersion } from '../../../core/graphql/user-errors.ts';
import { decodeId } from '../../envelope/decode-id.ts';
import { changeErrors } from '../../envelope/schema-errors.ts';
import type { DatasetImage } from '../../images/image.ts';
import { DatasetImageRef, ReviewStateEnum } from '../../images/schema.ts';
import { annotateImage } from './annotate-image.ts';
import { changeAnnotations } from './change-annotations.ts';
import { MAX_ANNOTATIONS } from './replace-annotations.ts';
import { reviewImage } from './review-image.ts';
import { AnnotationInputRef, AnnotationShapeEnum } from './schema-inputs.ts';

const workErrors = [...changeErrors, ConflictError];

const AnnotateImageInput = mutationInput('AnnotateImageInput', {
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
    expectedVersion: t.int({ description: onlyVersion }),
  }),
});
const AnnotateImagePayload = mutationPayload<{ image: DatasetImage }>('AnnotateImagePayload', {
  description: 'Result of annotating or reviewing an image.',
  fields: (t) => ({
    image: t.expose('image', { type: DatasetImageRef, description: 'The image as it is now.' }),
  }),
});
mutation('annotateImage', {
  description: 'Replaces the annotations of an image in a project and marks it as annotated.',
  input: AnnotateImageInput,
  inputIs: 'Project, image and annotations.',
  payload: AnnotateImagePayload,
  failures: workErrors,
  resolve: async (input, ctx) => ({
    image: await annotateImage(signedIn(ctx), {
      projectId: decodeId('Project', input.projectId),
      imageId: decodeId('DatasetImage', input.imageId, 'Image'),
      annotations: input.annotations,
      expectedVersion: input.expectedVersion,
    }),
  }),
});

const AnnotationChangeInput = builder.inputType('AnnotationChangeInput', {
  description: 'What to change of one annotation; what is left out stays as it is.',
  fields: (t) => ({
    annotationId: t.id({ required: true, description: 'Global id of an annotation of the image.' }),
    className: t.string({ description: 'Name of a class of the project.' }),
    shape: t.field({
      type: AnnotationShapeEnum,
      description: 'Its shape; another one needs a geometry, too.',
    }),
    geometry: t.field({ type: 'JSON', description: 'In the form that the shape requires.' }),
    attributes: t.field({
      type: 'JSON',
      description: 'All attributes, in the form of AnnotationInput; null for none.',
    }),
  }),
});
const ChangeAnnotationsInput = mutationInput('ChangeAnnotationsInput', {
  description: 'What to change of the annotations of an image in a project.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Global id of the project.' }),
    imageId: t.id({
      required: true,
      description: 'Global id of the image, which must be in a dataset of the project.',
    }),
    add: t.field({
      type: [AnnotationInputRef],
      description: 'New annotations; you are their author.',
      extensions: { maxItems: MAX_ANNOTATIONS },
    }),
    change: t.field({
      type: [AnnotationChangeInput],
      description: 'Annotations to change; they keep their authors.',
      extensions: { maxItems: MAX_ANNOTATIONS },
    }),
    remove: t.idList({
      description: 'Global ids of annotations to remove.',
      extensions: { maxItems: MAX_ANNOTATIONS },
    }),
    expectedVersion: t.int({ description: onlyVersion }),
  }),
});
mutation('changeAnnotations', {
  description:
    'Adds, changes and removes single annotations of an image in a project, all of it or nothing, and marks it as annotated. At most 2,000 annotations are on an image.',
  input: ChangeAnnotationsInput,
  inputIs: 'Project, image and changes.',
  payload: AnnotateImagePayload,
  failures: workErrors,
  resolve: async (input, ctx) => {
    const image = await changeAnnotations(signedIn(ctx), {
      projectId: decodeId('Project', input.projectId),
      imageId: decodeId('DatasetImage', input.imageId, 'Image'),
      expectedVersion: input.expectedVersion,
      add: input.add ?? [],
      change: (input.change ?? []).map(
        ({ annotationId, className, shape, geometry, attributes }) => ({
          id: decodeId('Annotation', annotationId),
          className: className ?? undefined,
          shape: shape ?? undefined,
          geometry,
          attributes,
        }),
      ),
      remove: (input.remove ?? []).map((id) => decodeId('Annotation', String(id))),
    });
    return { image };
  },
});

const ReviewImageInput = mutationInput('ReviewImageInput', {
  description: 'The state of an image in a project.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Global id of the project.' }),
    imageId: t.id({
      required: true,
      description: 'Global id of the image, which must be in a dataset of the project.',
    }),
    state: t.field({ type: ReviewStateEnum, required: true, description: 'The new state.' }),
    expectedVersion: t.int({ description: onlyVersion }),
  }),
});
mutation('reviewImage', {
  description: 'Accepts, rejects or reopens the annotations of an image in a project.',
  input: ReviewImageInput,
  inputIs: 'Project, image and state.',
  payload: AnnotateImagePayload,
  failures: workErrors,
  resolve: async (input, ctx) => ({
    image: await reviewImage(signedIn(ctx), {
      projectId: decodeId('Project', input.projectId),
      imageId: decodeId('DatasetImage', input.imageId, 'Image'),
      state: input.state,
      expectedVersion: input.expectedVersion,
    }),
  }),
});
