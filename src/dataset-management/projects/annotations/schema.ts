import { signedIn } from '../../../auth/guards.ts';
import { builder } from '../../../core/graphql/builder.ts';
import { mutation, mutationInput, mutationPayload } from '../../../core/graphql/mutations.ts';
import { onceADay, replayedByKey } from '../../../core/graphql/user-errors.ts';
import type { Created } from '../../content/create-once.ts';
import { decodeId } from '../../envelope/decode-id.ts';
import { creationErrors } from '../../envelope/schema-errors.ts';
import { addAnnotationClasses } from './add-annotation-classes.ts';
import type { AnnotationClass } from './list-annotation-classes.ts';
import { loadAnnotationClasses } from './load-annotation-classes.ts';
import { ProjectRef } from '../schema.ts';
import { costs } from '../../../core/graphql/field-cost.ts';

export const AnnotationClassRef = builder.objectRef<AnnotationClass>('AnnotationClass').implement({
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
    description: 'Its annotation classes, in order of position; at most 10,000.',
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
const AddAnnotationClassesInput = mutationInput('AddAnnotationClassesInput', {
  description: 'Classes for a project.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Global id of the project.' }),
    classes: t.field({
      type: [AnnotationClassInput],
      required: true,
      description: 'The classes, in the order of their positions. A project has at most 10,000.',
    }),
    idempotencyKey: t.string({ description: onceADay }),
  }),
});
const AddAnnotationClassesPayload = mutationPayload<Created<AnnotationClass[]>>(
  'AddAnnotationClassesPayload',
  {
    description: 'Result of adding annotation classes.',
    fields: (t) => ({
      classes: t.expose('created', {
        type: [AnnotationClassRef],
        extensions: costs({ rows: 40 }),
        description: 'All classes of the project.',
      }),
      replayed: t.exposeBoolean('replayed', { description: replayedByKey }),
    }),
  },
);
mutation('addAnnotationClasses', {
  description: 'Adds annotation classes to a project, and changes the colours of existing ones.',
  input: AddAnnotationClassesInput,
  inputIs: 'Project and classes.',
  payload: AddAnnotationClassesPayload,
  failures: creationErrors,
  resolve: (input, ctx) =>
    addAnnotationClasses(signedIn(ctx), {
      ...input,
      projectId: decodeId('Project', input.projectId),
    }),
});
