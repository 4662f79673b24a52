import { signedIn } from '../../../auth/guards.ts';
import { builder } from '../../../core/graphql/builder.ts';
import { connectionType, relayPage } from '../../../core/graphql/connections.ts';
import { pageFromConnectionArgs } from '../../../core/lists/pagination.ts';
import { decodeId } from '../../envelope/decode-id.ts';
import { isoInstant } from '../../images/image.ts';
import { requireImage } from '../../images/load-image.ts';
import { DatasetImageRef } from '../../images/schema.ts';
import { requireProject } from '../load-project.ts';
import { ProjectRef } from '../schema.ts';
import { loadPerson } from './load-person.ts';
import { PersonRef } from './schema-person.ts';
import { Annotation } from './annotation.ts';
import { loadAnnotation, pageAnnotations } from './load-annotation.ts';
import { AnnotationShapeEnum } from '../annotations/schema-inputs.ts';

const AnnotationRef = builder.objectRef<Annotation>('Annotation');
builder.node(AnnotationRef, {
  description: 'An annotation of an image in a project.',
  id: { resolve: ({ id }) => id },
  isTypeOf: (value) => value instanceof Annotation,
  loadOne: (id, ctx) => loadAnnotation(signedIn(ctx), id),
  fields: (t) => ({
    className: t.exposeString('className', { description: 'Name of its class.' }),
    shape: t.expose('shape', { type: AnnotationShapeEnum, description: 'Its shape.' }),
    geometry: t.field({
      type: 'JSON',
      nullable: true,
      description: 'In the form that the shape requires; null for CLASSIFICATION.',
      resolve: ({ geometry }, _, { fragments }) => geometry?.in(fragments),
    }),
    attributes: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Its attributes by name; null for none.',
      resolve: ({ attributes }, _, { fragments }) => attributes?.in(fragments),
    }),
    author: t.field({
      type: PersonRef,
      nullable: true,
      description: 'Who made it; null for an import.',
      resolve: ({ createdBy }, _, ctx) => loadPerson(signedIn(ctx), createdBy),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was made.',
      resolve: ({ createdAt }) => isoInstant(createdAt),
    }),
    image: t.field({
      type: DatasetImageRef,
      description: 'Its image.',
      resolve: ({ imageId }, _, ctx) => requireImage(signedIn(ctx), imageId),
    }),
    project: t.field({
      type: ProjectRef,
      description: 'Its project.',
      resolve: ({ projectId }, _, ctx) => requireProject(signedIn(ctx), projectId),
    }),
  }),
});
const { connection: AnnotationConnection } = connectionType('Annotation', AnnotationRef);
builder.objectField(DatasetImageRef, 'annotations', (t) =>
  t.connection(
    {
      type: AnnotationRef,
      description:
        'Its annotations in the projects of its dataset, in the order in which they were made.',
      args: {
        projectId: t.arg.id({
          description: 'Global id of a project: its annotations only; by default those of all.',
        }),
      },
      resolve: ({ id }, { projectId, ...args }, ctx) =>
        relayPage(
          pageAnnotations(signedIn(ctx), {
            parent: id,
            projectId: projectId == null ? undefined : decodeId('Project', projectId),
            page: pageFromConnectionArgs(args, 10),
          }),
        ),
    },
    AnnotationConnection,
  ),
);
