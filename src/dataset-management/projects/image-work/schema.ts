import { signedIn } from '../../../auth/guards.ts';
import { builder } from '../../../core/graphql/builder.ts';
import { mutation, mutationInput, mutationPayload } from '../../../core/graphql/mutations.ts';
import { costs } from '../../../core/graphql/field-cost.ts';
import { decodeId } from '../../envelope/decode-id.ts';
import { changeErrors } from '../../envelope/schema-errors.ts';
import { DatasetImageRef, ReviewStateEnum } from '../../images/schema.ts';
import { loadImage } from '../../images/load-image.ts';
import type { Project } from '../project.ts';
import { ProjectRef } from '../schema.ts';
import { assignImages } from './assign-images.ts';
import { countAssignments, countWork, type Assignment, type WorkProgress } from './count-work.ts';
import { loadReview, type ImageReview } from './load-review.ts';
import { loadPerson } from './load-person.ts';
import { PersonRef } from './schema-person.ts';
import { MOST_IMAGES, watchProject, type ProjectChange } from './watch-project.ts';

const ImageReviewRef = builder.objectRef<ImageReview>('ImageReview').implement({
  description: 'The work on an image in a project.',
  fields: (t) => ({
    state: t.expose('state', { type: ReviewStateEnum, description: 'How far it is.' }),
    version: t.exposeInt('version', {
      description:
        'Counts up with every change of the annotations or of the state; 0 before the first. Send it as `expectedVersion`.',
    }),
    assignee: t.field({
      type: PersonRef,
      nullable: true,
      description: 'Who is to annotate it; null for nobody.',
      resolve: ({ assigneeId }, _, ctx) => loadPerson(signedIn(ctx), assigneeId),
    }),
    annotatedBy: t.field({
      type: PersonRef,
      nullable: true,
      description: 'Who changed its annotations last; null for nobody, and for an import.',
      resolve: ({ annotatedBy }, _, ctx) => loadPerson(signedIn(ctx), annotatedBy),
    }),
    annotatedAt: t.expose('annotatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its annotations were changed last; null if never.',
    }),
    reviewedBy: t.field({
      type: PersonRef,
      nullable: true,
      description: 'Who gave it this state; null for nobody, and for an import.',
      resolve: ({ reviewedBy }, _, ctx) => loadPerson(signedIn(ctx), reviewedBy),
    }),
    reviewedAt: t.expose('reviewedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it got this state; null if it never had another one than NONE.',
    }),
  }),
});
builder.objectField(DatasetImageRef, 'review', (t) =>
  t.field({
    type: ImageReviewRef,
    nullable: true,
    description:
      'The work on it in a project; null if it is in no dataset of the project, or you may not see that.',
    args: { projectId: t.arg.id({ required: true, description: 'Global id of the project.' }) },
    resolve: ({ id }, { projectId }, ctx) =>
      loadReview(signedIn(ctx), { projectId: decodeId('Project', projectId), imageId: id }),
  }),
);

const WorkProgressRef = builder.objectRef<WorkProgress>('WorkProgress').implement({
  description: 'How many images are in each state.',
  fields: (t) => ({
    total: t.exposeInt('total', { description: 'All images.' }),
    none: t.exposeInt('none', { description: 'Images that nobody has annotated.' }),
    annotated: t.exposeInt('annotated', { description: 'Annotated, but not reviewed.' }),
    accepted: t.exposeInt('accepted', { description: 'Accepted.' }),
    rejected: t.exposeInt('rejected', { description: 'Rejected.' }),
  }),
});
const AssignmentRef = builder.objectRef<Assignment>('Assignment').implement({
  description: 'The images of a project that are assigned to a member, by state.',
  fields: (t) => ({
    login: t.exposeString('login', { description: 'Login of the member.' }),
    displayName: t.exposeString('displayName', { description: 'Name of the member for display.' }),
    total: t.exposeInt('total', { description: 'All images that are assigned to them.' }),
    none: t.exposeInt('none', { description: 'Images that nobody has annotated.' }),
    annotated: t.exposeInt('annotated', { description: 'Annotated, but not reviewed.' }),
    accepted: t.exposeInt('accepted', { description: 'Accepted.' }),
    rejected: t.exposeInt('rejected', { description: 'Rejected.' }),
  }),
});
builder.objectFields(ProjectRef, (t) => ({
  progress: t.field({
    type: WorkProgressRef,
    extensions: costs({ weight: 20 }),
    description: 'How many of its images are in each state.',
    resolve: ({ id }, _, ctx) => countWork(signedIn(ctx), id),
  }),
  assignments: t.field({
    type: [AssignmentRef],
    extensions: costs({ weight: 20, rows: 40 }),
    description: 'What is assigned to whom, and how far it is, by login.',
    resolve: ({ id }, _, ctx) => countAssignments(signedIn(ctx), id),
  }),
}));

const NextImagesInput = builder.inputType('NextImagesInput', {
  description: 'The oldest images of a dataset that are neither annotated nor assigned.',
  fields: (t) => ({
    datasetId: t.id({ required: true, description: 'Global id of a dataset of the project.' }),
    count: t.int({ required: true, description: 'How many at most, 1 to 10,000.' }),
  }),
});
const AssignImagesInput = mutationInput('AssignImagesInput', {
  description: 'Images of a project, either by ids or the next ones, and who is to annotate them.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Global id of the project.' }),
    login: t.string({
      description:
        'Login of a member of the workspace; null takes the images from whoever has them.',
    }),
    imageIds: t.idList({
      description: 'Global ids of at most 1,000 images of datasets of the project.',
    }),
    next: t.field({ type: NextImagesInput, description: 'The next images of a dataset.' }),
  }),
});
const AssignImagesPayload = mutationPayload<{
  project: Project;
  assigned: number;
}>('AssignImagesPayload', {
  description: 'Result of assigning images.',
  fields: (t) => ({
    project: t.expose('project', { type: ProjectRef, description: 'The project.' }),
    assignedCount: t.exposeInt('assigned', {
      description: 'How many images it were: fewer than asked for where no more are left.',
    }),
  }),
});
mutation('assignImages', {
  description:
    'Assigns images of a project to a member of its workspace, or takes them back. Others may annotate them all the same; annotators export what is assigned to them.',
  input: AssignImagesInput,
  inputIs: 'Images and member.',
  payload: AssignImagesPayload,
  failures: changeErrors,
  resolve: ({ projectId, login, imageIds, next }, ctx) =>
    assignImages(signedIn(ctx), {
      projectId: decodeId('Project', projectId),
      login: login ?? null,
      imageIds: imageIds?.map((id) => decodeId('DatasetImage', String(id), 'Image')),
      next: next
        ? { datasetId: decodeId('Dataset', next.datasetId), count: next.count }
        : undefined,
    }),
});

const ProjectChangeRef = builder.objectRef<ProjectChange>('ProjectChange').implement({
  description: 'What has changed in a project since the event before.',
  fields: (t) => ({
    project: t.expose('project', { type: ProjectRef, description: 'The project as it is now.' }),
    images: t.field({
      type: [DatasetImageRef],
      extensions: costs({ rows: MOST_IMAGES }),
      description:
        'Images whose annotations, state or assignee have changed, each once and as they are now; at most 200.',
      resolve: async ({ imageIds }, _, ctx) => {
        const found = await Promise.all(imageIds.map((id) => loadImage(signedIn(ctx), id)));
        return found.flatMap((image) => image ?? []);
      },
    }),
    more: t.exposeBoolean('more', {
      description: 'Whether more images have changed than are named: then read the lists anew.',
    }),
  }),
});
builder.subscriptionField('projectChanged', (t) =>
  t.field({
    type: ProjectChangeRef,
    description:
      'Changes of a project from now on: of itself, its classes, and the work on its images, within about a second. Ends with the session or the membership, and when the project is deleted.',
    args: { projectId: t.arg.id({ required: true, description: 'Global id of the project.' }) },
    subscribe: (_, { projectId }, ctx) =>
      watchProject(signedIn(ctx), { projectId: decodeId('Project', projectId) }),
    resolve: (change) => change,
  }),
);
