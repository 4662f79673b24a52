import { AppError } from '../../core/errors.ts';
import { prefersStrict } from '../../core/rest/parameters.ts';
import type { RequestFacts, Translation } from '../../core/rest/route.ts';
import { idempotencyKeyOf, readJson, readQuery } from '../body-parameters.ts';
import { encodeGlobalId } from '../../core/global-id.ts';
import { parseUuid } from '../../core/uuid.ts';
import { parseTask, unknownFields } from './parse-task.ts';

const task =
  'uuid name description status priority assignedTo assignedGroup createdBy executedBy storeName expiryTime createdAt feedKey';

/**
 * Translates a new task to GraphQL: `createExternalTask`. Throws ValidationError for what REST refuses, except a time
 * in the past.
 */
export async function explainNewTask(request: RequestFacts): Promise<Translation> {
  const { ignored } = await readQuery(request);
  const body = await readJson(request);
  const { expiryTime, ...fields } = parseTask(body, { now: 0, strict: prefersStrict(request) });
  const sent = Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== null && name !== 'status'),
  );
  return {
    steps: [
      {
        field: 'createExternalTask',
        args: {
          input: {
            ...sent,
            expiryTime: expiryTime === null ? undefined : new Date(expiryTime).toISOString(),
            idempotencyKey: idempotencyKeyOf(request),
          },
        },
      },
    ],
    select: `... on CreateExternalTaskPayload { replayed task { ${task} } } ... on UserError { code message } ... on ValidationError { problems { path message } }`,
    ignored: [
      ...ignored,
      ...unknownFields(body).map((name) => ({
        name,
        reason: 'is not a field of a task',
        defaulted: false,
      })),
    ],
    notes: [
      'GraphQL takes the headers API-Key and customerId too, or the session of a supervisor.',
    ],
  };
}

/** Translates reading a task to GraphQL: `node` with its global id. */
export async function explainTask(request: RequestFacts): Promise<Translation> {
  const { ignored } = await readQuery(request);
  const id = parseUuid(request.path['id'] ?? '');
  if (id === undefined) throw new AppError('E404', { status: 404, message: 'Task not found' });
  return {
    steps: [{ field: 'node', args: { id: encodeGlobalId('ExternalTask', id) } }],
    select: `... on ExternalTask { ${task} }`,
    ignored,
    notes: [
      'What REST answers with 404 is null in GraphQL, which takes the headers API-Key and customerId too.',
    ],
  };
}
