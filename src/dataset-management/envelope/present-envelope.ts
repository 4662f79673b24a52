import type * as z from 'zod';
import { Readable } from 'node:stream';
import { signedInStill } from '../../auth/guards.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import type { StagedBlob } from '../../core/context/storage.ts';
import { AppError } from '../../core/errors.ts';
import {
  jsonAnswer,
  type RequestFacts,
  type RestReply,
  type RestRequest,
  type RouteParameter,
  type SessionRoute,
  type Translation,
} from '../../core/rest/route.ts';
import { type Reading, readInput } from '../../core/rest/read-input.ts';
import { describeParameters } from '../../core/rest/describe-parameters.ts';
import type { RequestSchema } from '../../core/rest/request-schema.ts';
import type { Created } from '../content/create-once.ts';
import { countTransfer } from '../content/count-transfer.ts';
import { endWithSession } from './end-with-session.ts';
import { envelopeOf, EXAMPLE_ID, guidEnvelope, objectEnvelope } from './envelope-shapes.ts';
import { datasetReading } from './read-parameters.ts';
import { presentData, presentJson, VERSION } from './present-failure.ts';

const apiVersion: RouteParameter = {
  name: 'api-version',
  in: 'header',
  schema: { type: 'string', enum: ['1.0', '1'], default: '1.0' },
  description: 'Version of the interface.',
};

/** A form that was streamed: what its parts hold, by lower-case names. */
interface ReceivedForm {
  fields: readonly (readonly [name: string, value: string])[];
  files: ReadonlyMap<string, StagedBlob>;
}

/** A route of the dataset document, with the schema that its request is read by. */
type Given<Schema extends RequestSchema> = Omit<
  SessionRoute,
  'family' | 'run' | 'parameters' | 'answer' | 'explain'
> & {
  request: Schema;
  /** Receives a streamed form. */
  receive?: (
    ctx: SignedInContext,
    contentType: string,
    body: AsyncIterable<Uint8Array>,
  ) => Promise<ReceivedForm>;
  explain(values: z.output<Schema>, request: RequestFacts): Translation | Promise<Translation>;
};

/** Makes a route of the dataset document; `run` returns the data of the envelope, which are null when `answer` is left out. */
export function datasetRoute<Schema extends RequestSchema>(
  route: Given<Schema> &
    Partial<Pick<SessionRoute, 'answer'>> & {
      run(ctx: SignedInContext, values: z.output<Schema>, request: RestRequest): Promise<unknown>;
    },
): SessionRoute {
  return fileRoute({
    answer: jsonAnswer(objectEnvelope, envelopeOf(null)),
    ...route,
    run: async (ctx, values, request) =>
      presentData((await route.run(ctx, values, request)) ?? null),
  });
}

/** The same for a route that answers with a whole list: `run` writes it as JSON. */
export function listRoute<Schema extends RequestSchema>(
  route: Given<Schema> &
    Pick<SessionRoute, 'answer'> & {
      run(ctx: SignedInContext, values: z.output<Schema>): Promise<string>;
    },
): SessionRoute {
  return fileRoute({
    ...route,
    run: async (ctx, values) => presentJson(await route.run(ctx, values)),
  });
}

/**
 * The same for a route that answers with a file. Checks `api-version` first, and names ignored parameters in
 * X-Ignored-Parameters.
 */
export function fileRoute<Schema extends RequestSchema>(
  route: Given<Schema> &
    Pick<SessionRoute, 'answer'> & {
      run(ctx: SignedInContext, values: z.output<Schema>, request: RestRequest): Promise<RestReply>;
    },
): SessionRoute {
  const { request: schema, receive, ...rest } = route;
  const answer = async (ctx: SignedInContext, request: RestRequest): Promise<RestReply> => {
    const form = await receive?.(ctx, request.headers['content-type'] ?? '', request.stream);
    const reading = form ? readingOf(form) : datasetReading;
    if (form) request.noteFields([...form.fields.map(([name]) => name), ...form.files.keys()]);
    const [caller, { values, headers }] = await Promise.all([
      form ? signedInStill(ctx) : ctx,
      readInput(request, schema, reading),
    ]).catch(async (error: unknown) => {
      for (const file of form?.files.values() ?? []) await file.discard();
      throw error;
    });
    const reply = await route.run(caller, values, request);
    if (reply.body instanceof Readable) endWithSession(caller, reply.body);
    return { ...reply, headers: { ...VERSION, ...headers, ...reply.headers } };
  };
  return {
    ...rest,
    parameters: [...describeParameters(schema), apiVersion],
    family: 'dataset',
    run: async (ctx, request) => {
      checkVersion(request);
      const countOff = receive && countTransfer(ctx, 'uploads');
      try {
        return await answer(ctx, request);
      } finally {
        countOff?.();
      }
    },
    explain: async (request) => {
      checkVersion(request);
      const { values, ignored } = await readInput(request, schema, datasetReading);
      return { ...(await route.explain(values, request)), ignored };
    },
  };
}

/** How a request is read whose form was streamed. */
function readingOf({ fields, files }: ReceivedForm): Reading {
  return { ...datasetReading, body: () => Promise.resolve([...fields, ...files]) };
}

/** A route that creates: `run` says what it created, and whether a request with the same Idempotency-Key did before. */
export function creationRoute<Schema extends RequestSchema>(
  route: Given<Schema> & {
    run(ctx: SignedInContext, values: z.output<Schema>): Promise<Created<{ id: string }>>;
  },
): SessionRoute {
  return fileRoute({
    ...route,
    answer: jsonAnswer(guidEnvelope, envelopeOf(EXAMPLE_ID), {
      headers: { 'Idempotent-Replayed': 'true when the key came before.' },
    }),
    run: async (ctx, values) => {
      const { created, replayed } = await route.run(ctx, values);
      return presentData(created.id, replayed ? { 'idempotent-replayed': 'true' } : {});
    },
  });
}

/**
 * A route that deletes: `run` returns the token that undoes it, and the token goes into a header, for the document
 * leaves no place in the envelope (D-66).
 */
export function deletionRoute<Schema extends RequestSchema>(
  route: Given<Schema> & { run(ctx: SignedInContext, values: z.output<Schema>): Promise<string> },
): SessionRoute {
  return fileRoute({
    ...route,
    answer: jsonAnswer(objectEnvelope, envelopeOf(null), {
      headers: {
        'X-Undo-Token': 'Brings it back within 30 days: mutation `undoDelete` of GraphQL.',
      },
    }),
    run: async (ctx, values) => presentData(null, { 'x-undo-token': await route.run(ctx, values) }),
  });
}

/** Absent, 1 and 1.0 are the same version; there is no other (D-61). */
function checkVersion(request: RequestFacts): void {
  const version = request.headers['api-version'];
  if (version === undefined || version === '' || version === '1' || version === '1.0') return;
  throw new AppError('E900', {
    message: 'The only api-version is 1.0',
    graphqlCode: 'UNSUPPORTED_API_VERSION',
  });
}
