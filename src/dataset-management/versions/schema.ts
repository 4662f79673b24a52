import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { connectionType } from '../../core/graphql/connections.ts';
import { requireDataset } from '../datasets/load-dataset.ts';
import { pageBelow } from '../envelope/schema-page-below.ts';
import { DatasetRef } from '../datasets/schema.ts';
import { isoInstant } from '../images/image.ts';
import { loadPerson } from '../projects/image-work/load-person.ts';
import { PersonRef } from '../projects/image-work/schema-person.ts';
import { DatasetVersion } from './dataset-version.ts';
import { findVersion } from './find-version.ts';
import { loadVersion, pageVersions } from './load-version.ts';

const VersionStateEnum = builder.enumType('VersionState', {
  description: 'State of a version; READY and FAILED are final.',
  values: {
    FREEZING: { description: 'What is there is being read.' },
    READY: { description: 'It can be exported and compared.' },
    FAILED: { description: 'It could not be frozen; delete it, and create another one.' },
  } as const,
});

export const DatasetVersionRef = builder.objectRef<DatasetVersion>('DatasetVersion');
builder.node(DatasetVersionRef, {
  description: 'The images of a dataset, and annotations, as they were at an instant.',
  id: { resolve: ({ id }) => id },
  isTypeOf: (value) => value instanceof DatasetVersion,
  loadOne: (id, ctx) => loadVersion(signedIn(ctx), id),
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'Id in paths of REST.' }),
    number: t.exposeInt('number', {
      description: 'Number in the dataset, from 1; that of a deleted version is not given again.',
    }),
    name: t.exposeString('name', { description: 'Name for display; may be empty.' }),
    notes: t.exposeString('notes', { description: 'What it is for; may be empty.' }),
    state: t.expose('state', { type: VersionStateEnum, description: 'State of the version.' }),
    digest: t.exposeString('digest', {
      nullable: true,
      description:
        'SHA-256 of what it holds, lower-case hexadecimal: of the hashes at the start of the lines of its manifest, each with a line feed. Equal for equal content; null unless it is READY.',
    }),
    manifestUrl: t.field({
      type: 'URL',
      nullable: true,
      description:
        'URL of the manifest: a line for each item with its SHA-256, a blank, and the item as canonical JSON (RFC 8785); null unless it is READY. Requires the session, and more than the role ANNOTATOR.',
      resolve: ({ id, digest }, _, ctx) =>
        digest === null ? null : `${ctx.baseUrl}/dataset-versions/${id}/manifest`,
    }),
    imagesCount: t.exposeInt('images', {
      description: 'Number of its images; 0 until it is READY.',
    }),
    annotationsCount: t.exposeInt('annotations', {
      description: 'Number of their annotations in all of its projects; 0 until it is READY.',
    }),
    creator: t.field({
      type: PersonRef,
      nullable: true,
      description: 'Who created it; null for a user who is gone.',
      resolve: ({ creatorId }, _, ctx) => loadPerson(signedIn(ctx), creatorId),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was asked for.',
      resolve: ({ createdAt }) => isoInstant(createdAt),
    }),
    frozenAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The instant that it shows; null until everything is read.',
      resolve: ({ frozenAt }) => (frozenAt === null ? null : isoInstant(frozenAt)),
    }),
    dataset: t.field({
      type: DatasetRef,
      description: 'Its dataset.',
      resolve: ({ datasetId }, _, ctx) => requireDataset(signedIn(ctx), datasetId),
    }),
  }),
});

const { connection: DatasetVersionConnection } = connectionType(
  'DatasetVersion',
  DatasetVersionRef,
);
builder.objectField(DatasetRef, 'versions', (t) =>
  t.connection(
    {
      type: DatasetVersionRef,
      description: 'Its versions, newest first.',
      resolve: pageBelow(pageVersions),
    },
    DatasetVersionConnection,
  ),
);
builder.objectField(DatasetRef, 'versionByNumber', (t) =>
  t.field({
    type: DatasetVersionRef,
    nullable: true,
    description: 'The version with a number; null if there is none.',
    args: { number: t.arg.int({ required: true, description: 'Number of the version.' }) },
    resolve: ({ id }, { number }, ctx) => findVersion(signedIn(ctx), { datasetId: id, number }),
  }),
);
