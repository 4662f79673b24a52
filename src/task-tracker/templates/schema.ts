import { builder } from '../../core/graphql/builder.ts';
import { mutation, mutationInput, mutationPayload } from '../../core/graphql/mutations.ts';
import { connectionType, relayPage } from '../../core/graphql/connections.ts';
import { ForbiddenError, IdempotencyError, ValidationError } from '../../core/errors.ts';
import { pageFromConnectionArgs } from '../../core/lists/pagination.ts';
import { onceADay, replayedByKey } from '../../core/graphql/user-errors.ts';
import { createTaskTemplates } from './create-task-templates.ts';
import { listTaskTemplates, loadTaskTemplate } from './list-task-templates.ts';
import type { TaskTemplate, TemplateResult } from './task-template.ts';
import { costs } from '../../core/graphql/field-cost.ts';

const TaskTemplateRef = builder.objectRef<TaskTemplate>('TaskTemplate');

builder.node(TaskTemplateRef, {
  description: 'A common title of tasks, for supervisors and associates.',
  id: { resolve: (template) => template.id },
  brandLoadedObjects: true,
  loadOne: (id, ctx) => loadTaskTemplate(ctx, id),
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'Id in the REST API. REST: id.' }),
    title: t.exposeString('title', { description: 'Title of tasks made from this template.' }),
  }),
});

const { connection: TaskTemplateConnection } = connectionType('TaskTemplate', TaskTemplateRef);

builder.queryField('taskTemplates', (t) =>
  t.connection(
    {
      type: TaskTemplateRef,
      description:
        'Task templates of your domain, or of the customer of the API key, ordered by title; by default 20 per page.',
      resolve: (_, args, ctx) => relayPage(listTaskTemplates(ctx, pageFromConnectionArgs(args))),
    },
    TaskTemplateConnection,
  ),
);

const TaskTemplateResult = builder.objectRef<TemplateResult>('TaskTemplateResult').implement({
  description: 'What became of one title.',
  fields: (t) => ({
    template: t.field({
      type: TaskTemplateRef,
      description: 'The template, new or as it was.',
      resolve: (result) => result,
    }),
    created: t.exposeBoolean('created', {
      description: 'Whether it is new; false if the title already existed.',
    }),
  }),
});

const CreateTaskTemplatesInput = mutationInput('CreateTaskTemplatesInput', {
  description: 'Titles of the templates to create.',
  fields: (t) => ({
    titles: t.stringList({
      required: true,
      description:
        'Titles, 1 to 500 of 1 to 200 characters each; duplicates, regardless of case, are merged.',
    }),
    idempotencyKey: t.string({ description: `${onceADay} REST: header Idempotency-Key.` }),
  }),
});

interface Created {
  results: TemplateResult[];
  replayed: boolean;
}

const CreateTaskTemplatesPayload = mutationPayload<Created>('CreateTaskTemplatesPayload', {
  description: 'Result of creating templates.',
  fields: (t) => ({
    results: t.expose('results', {
      type: [TaskTemplateResult],
      extensions: costs({ rowsOf: 'input.titles' }),
      description: 'One result per different title, in the order of the input.',
    }),
    replayed: t.exposeBoolean('replayed', { description: replayedByKey }),
  }),
});

mutation('createTaskTemplates', {
  description:
    'Creates task templates, all or none: for customers, by API-Key and customerId, and for supervisors. REST: POST /api/task-tracker-external/tasks/title/templates.',
  input: CreateTaskTemplatesInput,
  inputIs: 'Titles.',
  payload: CreateTaskTemplatesPayload,
  failures: [ValidationError, IdempotencyError, ForbiddenError],
  resolve: async (input, ctx) => {
    const { answer, replayed } = await createTaskTemplates(ctx, input);
    return { results: answer, replayed };
  },
});
