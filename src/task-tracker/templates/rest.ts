import * as z from 'zod';
import { jsonAnswer, type Route } from '../../core/rest/route.ts';
import { idempotencyKey, idempotencyKeyOf, readJson, readQuery } from '../body-parameters.ts';
import { parseTitles, titlesRequest } from './parse-titles.ts';
import { createTaskTemplates } from './create-task-templates.ts';
import { templateResults } from './task-template.ts';

export const taskTemplateRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/task-tracker-external/tasks/title/templates',
    operation: 'createTaskTemplates',
    family: 'tracker',
    summary: 'Creates task templates from a list of titles.',
    parameters: [idempotencyKey],
    body: {
      mediaTypes: ['application/json'],
      schema: titlesRequest,
      example: ['Restock', 'Clean the till'],
    },
    answer: jsonAnswer(
      z
        .object({ templates: templateResults, created: z.int(), existing: z.int() })
        .meta({ id: 'TaskTemplates' }),
      {
        templates: [
          { id: '7a3f0f9e-4a53-4c8e-9d0a-2f6c1f0b8a11', title: 'Restock', created: true },
        ],
        created: 1,
        existing: 0,
      },
      { status: 201, headers: { 'Idempotent-Replayed': 'true when the key came before.' } },
    ),
    errors: ['E900'],
    auth: 'customer',
    run: async (ctx, request) => {
      const { headers } = await readQuery(request);
      const { answer, replayed } = await createTaskTemplates(ctx, {
        titles: await readJson(request),
        idempotencyKey: idempotencyKeyOf(request),
      });
      const created = answer.filter((template) => template.created).length;
      const body = JSON.stringify({
        templates: answer,
        created,
        existing: answer.length - created,
      });
      return {
        status: 201,
        headers: { ...headers, ...(replayed && { 'idempotent-replayed': 'true' }) },
        body,
      };
    },
    explain: async (request) => ({
      steps: [
        {
          field: 'createTaskTemplates',
          args: {
            input: {
              titles: [...parseTitles(await readJson(request)).values()],
              idempotencyKey: idempotencyKeyOf(request),
            },
          },
        },
      ],
      select:
        '... on CreateTaskTemplatesPayload { replayed results { created template { uuid title } } } ... on UserError { code message } ... on ValidationError { problems { path message } }',
      ignored: (await readQuery(request)).ignored,
      notes: [
        'GraphQL takes the headers API-Key and customerId too, or the session of a supervisor.',
      ],
    }),
  },
];
