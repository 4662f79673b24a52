import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Context, SignedInContext } from '../context/context.ts';

/** What a route knows of a request before anything is done: enough to say what it is in GraphQL. */
export interface RequestFacts {
  /** Values of the `{…}` segments of the path, percent-decoded. */
  path: Readonly<Record<string, string>>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** The whole body, at most 1 MiB. Throws E903 when it is larger or of another media type than JSON or a form. */
  body(): Promise<RestBody>;
}

/** A request of the REST surface, after the path was matched. */
export interface RestRequest extends RequestFacts {
  /** The body as it arrives, for uploads that the route reads itself; it says which fields there were. */
  stream: Readable;
  /** Counts the names of a body that did not come through `body`. */
  noteFields(names: Iterable<string>): void;
}

/** A form, or any JSON value; an empty body is an empty form. */
export type RestBody = { kind: 'form'; form: URLSearchParams } | { kind: 'json'; json: unknown };

export interface RestReply {
  status?: number;
  headers?: Record<string, string>;
  /** JSON text unless `headers` names another content type. */
  body: string | Buffer | Readable;
}

/** A parameter that was sent and does not count, or not as it was sent. */
export interface IgnoredParameter {
  name: string;
  reason: string;
  /** It could not be used, so that its default counts. */
  defaulted: boolean;
}

/** One field on the way from the root of the GraphQL schema to what answers a request. */
export interface TranslatedStep {
  field: string;
  /** Arguments as operations take them (a status is `O`, a day `yyyyMMdd`); undefined ones are left out. */
  args?: object;
  /** The type of the union or interface above that has the field. */
  on?: string;
  /** What is selected beside the field. */
  beside?: string;
}

/** A request in GraphQL. Types and names of the values are those of the schema, so that they are not repeated here. */
export interface Translation {
  steps: readonly TranslatedStep[];
  /** Selection of the last step's field. */
  select: string;
  ignored?: readonly IgnoredParameter[];
  /** What a reader has to know besides. */
  notes?: readonly (string | false)[];
}

/** Which document a path belongs to: decides the shape of its error bodies. */
export type RouteFamily = 'task' | 'dataset' | 'tracker';

/** The JSON Schema of one value. */
export type ValueSchema = Readonly<Omit<z.core.JSONSchema.BaseSchema, 'enum'>> & {
  readonly enum?: readonly (string | number | boolean | null)[];
};

/** One parameter of the document's table. */
export interface RouteParameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'body';
  required?: boolean;
  description: string;
  /** JSON Schema of the value. */
  schema: ValueSchema;
  example?: string | number;
}

/** How the body of a request may be written. Its members are the parameters in `body`, unless it has a schema of its own. */
export interface RouteBody {
  /** JSON or a form when left out. */
  mediaTypes?: readonly (
    'application/json' | 'application/x-www-form-urlencoded' | 'multipart/form-data'
  )[];
  /** Of a body that is no object of parameters. */
  schema?: z.ZodType;
  example?: unknown;
  /** The query parameters may stand in the body instead, where they win (D-82). */
  repeatsQuery?: true;
}

/** What a route answers when all went well. */
export interface RouteAnswer {
  /** 200 when left out. */
  status?: 201;
  /** Of a JSON body. */
  schema?: z.ZodType;
  example?: unknown;
  /** Of any other body. */
  mediaTypes?: readonly string[];
  /** It has an ETag: 304 when the client has it already. */
  conditional?: true;
  /** It can be resumed: 206 and 416. */
  ranges?: true;
  /** Headers of its own, with what they say. */
  headers?: Readonly<Record<string, string>>;
}

/** The answer of a route that answers with JSON. */
export function jsonAnswer<Schema extends z.ZodType>(
  schema: Schema,
  example: z.input<Schema>,
  more: Omit<RouteAnswer, 'schema' | 'example' | 'mediaTypes'> = {},
): RouteAnswer {
  return { ...more, schema, example };
}

/** What all routes have in common. */
interface RouteFacts {
  method: 'GET' | 'POST' | 'DELETE';
  /** The documented path, whole; parameters in braces. */
  path: string;
  /** Name of the operation, for logs and metrics. */
  operation: string;
  family: RouteFamily;
  summary: string;
  parameters: readonly RouteParameter[];
  body?: RouteBody;
  answer: RouteAnswer;
  /** Documented codes of the failures that are its own, as the family writes them. */
  errors?: readonly string[];
  /** 404 when what the path names is not there. */
  mayBeMissing?: true;
  /** Moves files: neither the time limit of requests nor a limit of the body holds; only silence ends it. */
  transfer?: boolean;
  /** It may answer "no data" with 200, and so the body calls the code (D-01). */
  noDataKey?: 'errorCode' | 'error_code';
  /** Failures behind the operation answer as "no data" with `X-Degraded: true` (D-48); they are logged all the same. */
  failsAsNoData?: boolean;
  /** What the document calls the fields of the operation's input, for problems that the operation finds. */
  fieldNames?: Readonly<Record<string, string>>;
  /** Says what the request is in GraphQL, by the parameters as `run` reads them; reads no data. Throws what `run` throws for parameters that are refused. */
  explain(request: RequestFacts): Translation | Promise<Translation>;
}

/** A route for whoever has a session. */
export interface SessionRoute extends RouteFacts {
  auth?: 'session';
  run: (ctx: SignedInContext, request: RestRequest) => Promise<RestReply>;
}

/** A route for a customer with an API key, or for anybody. */
export interface OpenRoute extends RouteFacts {
  auth: 'customer' | 'none';
  run: (ctx: Context, request: RestRequest) => Promise<RestReply>;
}

/** One documented path. The table of all routes is what serves requests, `trivium routes` and the OpenAPI document. */
export type Route = SessionRoute | OpenRoute;

/** The seven names of identity: a client's value for any of them is ignored (F005). */
export const identityNames: ReadonlySet<string> = new Set([
  'domain_id',
  'user_id',
  'unit_id',
  'dept_id',
  'profile_id',
  'time_zone_long',
  'lang_code',
]);
