import { signedIn } from '../../../auth/guards.ts';
import { builder } from '../../../core/graphql/builder.ts';
import { connectionType, relayPage } from '../../../core/graphql/connections.ts';
import { costs } from '../../../core/graphql/field-cost.ts';
import { pageFromConnectionArgs } from '../../../core/lists/pagination.ts';
import { decodeId } from '../../envelope/decode-id.ts';
import { loadImage } from '../../images/load-image.ts';
import { DatasetImageRef } from '../../images/schema.ts';
import { AnnotationShapeEnum } from '../../projects/annotations/schema-inputs.ts';
import { loadProject } from '../../projects/load-project.ts';
import { ProjectRef } from '../../projects/schema.ts';
import type { FrozenAnnotation, FrozenImage } from '../freeze/frozen-content.ts';
import { DatasetVersionRef } from '../schema.ts';
import { listChanges } from './list-changes.ts';
import { loadClassName, loadContents } from './load-contents.ts';
import { compareAnnotations, type AnnotationChange, type VersionChange } from './version-change.ts';

const ChangeKindEnum = builder.enumType('VersionChangeKind', {
  description: 'How something differs between two versions.',
  values: {
    ADDED: { description: 'Only the newer version has it.' },
    REMOVED: { description: 'Only the older version has it.' },
    CHANGED: { description: 'Both have it, with a difference.' },
  } as const,
});

const FrozenImageRef = builder.objectRef<FrozenImage>('FrozenImage').implement({
  description: 'An image as a version has it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'File name.' }),
    path: t.exposeString('path', {
      nullable: true,
      description: 'Path under which it was uploaded; null for none.',
    }),
    width: t.exposeInt('width', { description: 'Width of the upright image in pixels.' }),
    height: t.exposeInt('height', { description: 'Height of the upright image in pixels.' }),
    sha256: t.exposeString('sha256', { description: 'SHA-256 of the file, hexadecimal.' }),
  }),
});

const FrozenAnnotationRef = builder
  .objectRef<{ annotation: FrozenAnnotation; versionId: string }>('FrozenAnnotation')
  .implement({
    description: 'An annotation as a version has it.',
    fields: (t) => ({
      className: t.string({
        description: 'Name of its class in that version.',
        resolve: ({ annotation: { classId }, versionId }, _, ctx) =>
          loadClassName(signedIn(ctx), { versionId, classId }),
      }),
      shape: t.field({
        type: AnnotationShapeEnum,
        description: 'Its shape.',
        resolve: ({ annotation }) => annotation.shape,
      }),
      geometry: t.field({
        type: 'JSON',
        nullable: true,
        description: 'In the form that the shape requires; null for CLASSIFICATION.',
        resolve: ({ annotation }) => annotation.geometry,
      }),
      attributes: t.field({
        type: 'JSON',
        nullable: true,
        description: 'Its attributes by name; null for none.',
        resolve: ({ annotation }) => annotation.attributes,
      }),
    }),
  });

const AnnotationChangeRef = builder
  .objectRef<AnnotationChange>('VersionAnnotationChange')
  .implement({
    description: 'An annotation that differs between two versions.',
    fields: (t) => ({
      kind: t.expose('kind', { type: ChangeKindEnum, description: 'How it differs.' }),
      annotationUuid: t.expose('id', { type: 'UUID', description: 'Id of the annotation.' }),
      project: t.field({
        type: ProjectRef,
        nullable: true,
        description: 'Its project; null if that is gone.',
        resolve: ({ projectId }, _, ctx) => loadProject(signedIn(ctx), projectId),
      }),
      before: t.field({
        type: FrozenAnnotationRef,
        nullable: true,
        description: 'As the older version has it; null if it has not.',
        resolve: ({ before, versions }) =>
          before && { annotation: before, versionId: versions.before ?? '' },
      }),
      after: t.field({
        type: FrozenAnnotationRef,
        nullable: true,
        description: 'As the newer version has it; null if it has not.',
        resolve: ({ after, versions }) => after && { annotation: after, versionId: versions.after },
      }),
    }),
  });

const VersionChangeRef = builder.objectRef<VersionChange>('VersionChange').implement({
  description: 'An image that differs between two versions, or whose annotations do.',
  fields: (t) => ({
    kind: t.expose('kind', {
      type: ChangeKindEnum,
      description: 'How the image differs; CHANGED also where only its annotations do.',
    }),
    imageUuid: t.expose('imageId', {
      type: 'UUID',
      description: 'Id of the image in the REST API.',
    }),
    image: t.field({
      type: DatasetImageRef,
      nullable: true,
      description: 'The image as it is now; null if it was deleted.',
      resolve: ({ imageId }, _, ctx) => loadImage(signedIn(ctx), imageId),
    }),
    before: t.field({
      type: FrozenImageRef,
      nullable: true,
      description:
        'The image as the older version has it; null if it has not, or the image itself is the same.',
      resolve: async (change, _, ctx) => (await contentsOf(signedIn(ctx), change)).before.image,
    }),
    after: t.field({
      type: FrozenImageRef,
      nullable: true,
      description:
        'The image as the newer version has it; null if it has not, or the image itself is the same.',
      resolve: async (change, _, ctx) => (await contentsOf(signedIn(ctx), change)).after.image,
    }),
    annotations: t.field({
      type: [AnnotationChangeRef],
      extensions: costs({ rows: 40 }),
      description: 'Its annotations that differ.',
      resolve: async (change, _, ctx) =>
        compareAnnotations(change, await contentsOf(signedIn(ctx), change)),
    }),
  }),
});

async function contentsOf(
  ctx: Parameters<typeof loadContents>[0],
  { datasetId, before, after }: VersionChange,
) {
  return {
    before: await loadContents(ctx, datasetId, before),
    after: await loadContents(ctx, datasetId, after),
  };
}

const { connection: VersionChangeConnection } = connectionType('VersionChange', VersionChangeRef);
builder.objectField(DatasetVersionRef, 'changes', (t) =>
  t.connection(
    {
      type: VersionChangeRef,
      extensions: costs({ weight: 20 }),
      description:
        'The images that differ from those of an older version of the dataset, by age. A project that only one of the versions has counts as without annotations in the other.',
      args: {
        since: t.arg.id({
          description:
            'Global id of the older version; by default the one before, and for the first one nothing, so that all images are ADDED.',
        }),
      },
      resolve: (version, { since, ...args }, ctx) =>
        relayPage(
          listChanges(signedIn(ctx), version, {
            since: since == null ? undefined : decodeId('DatasetVersion', since),
            page: pageFromConnectionArgs(args, 10),
          }),
        ),
    },
    VersionChangeConnection,
  ),
);
