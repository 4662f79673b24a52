import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type * as z from 'zod';
import type { Context, SignedInContext } from '../context/context.ts';
import type { Day } from '../time/days.ts';

/** The part of a request that is known before it runs: enough to translate it to GraphQL. */
export interface RequestFacts {
  /** Values of the `{…}` segments of the path, percent-decoded. */
  path: Readonly<Record<string, string>>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** The whole body, at most 1 MiB. Throws E903 when it is larger, or neither JSON nor a form. */
  body(): Promise<RestBody>;
}

/** A request of the REST surface, after the path was matched. */
export interface RestRequest extends RequestFacts {
  /**
   * The body as a stream, for uploads that the route reads itself. The route reports the fields in it through
   * `noteFields`.
   */
  stream: Readable;
  /** Counts the usage of fields in a body that was not read through `body`. */
  noteFields(names: Iterable<string>): void;
}

/** A form or any JSON value; an empty body is an empty form. */
export type RestBody = { kind: 'form'; form: URLSearchParams } | { kind: 'json'; json: unknown };

export interface RestReply {
  status?: number;
  headers?: Record<string, string>;
  /** JSON text unless `headers` names another content type. */
  body: string | Buffer | Readable;
}

/** A reply of a route, or of the gateway itself, as it is sent. */
export type Reply = RestReply & { status: number };

/** A parameter that was sent but is ignored, wholly or in part. */
export interface IgnoredParameter {
  name: string;
  reason: string;
  /** True when the value was unusable, so that its default was used. */
  defaulted: boolean;
}

/** One field on the path from the root of the GraphQL schema to the answer of a request. */
export interface TranslatedStep {
  field: string;
  /** Arguments in the form that operations take (a status is `O`, a day `yyyyMMdd`); undefined ones are left out. */
  args?: object;
  /** The type of the parent's union or interface that has the field. */
  on?: string;
  /** Selections next to the field. */
  beside?: string;
}

/** A request translated to GraphQL. Types and names come from the schema and are not repeated here. */
export interface Translation {
  steps: readonly TranslatedStep[];
  /** Selection of the last step's field. */
  select: string;
  ignored?: readonly IgnoredParameter[];
  /** Notes for the reader of the translation. */
  notes?: readonly (string | false)[];
}

/** The API document to which a path belongs, or the standard SCIM: decides the format of its error bodies. */
export type RouteFamily = 'task' | 'dataset' | 'tracker' | 'scim';

/** The JSON Schema of one value. */
export type ValueSchema = Readonly<Omit<z.core.JSONSchema.BaseSchema, 'enum'>> & {
  readonly enum?: readonly (string | number | boolean | null)[];
};

/** A value for whoever tries a request. Days are near today: demo data is. */
export type ParameterExample = string | number | ((today: Day) => string | number);

/** One parameter, as in the document's table. */
export interface RouteParameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'body';
  required?: boolean;
  description: string;
  /** JSON Schema of the value. */
  schema: ValueSchema;
  example?: ParameterExample;
}

/** Accepted forms of a request body. Its members are the parameters in `body`, unless it has its own schema. */
export interface RouteBody {
  /** By default JSON or a form. */
  mediaTypes?: readonly (
    | 'application/json'
    | 'application/scim+json'
    | 'application/x-www-form-urlencoded'
    | 'multipart/form-data'
  )[];
  /** For a body that is not an object of parameters. */
  schema?: z.ZodType;
  example?: unknown;
  /** Query parameters may also be in the body, which then wins (D-82). */
  repeatsQuery?: true;
}

/** The reply of a route to a successful request. */
export interface RouteAnswer {
  /** By default 200. */
  status?: 201 | 204;
  /** Schema of a JSON body. */
  schema?: z.ZodType;
  example?: unknown;
  /** Media types of any other body. */
  mediaTypes?: readonly string[];
  /** It has an ETag: 304 when the client already has it. */
  conditional?: true;
  /** It supports ranges: 206 and 416. */
  ranges?: true;
  /** Its own headers, with descriptions. */
  headers?: Readonly<Record<string, string>>;
}

/** The reply of a route that answers with JSON. */
export function jsonAnswer<Schema extends z.ZodType>(
  schema: Schema,
  example: z.input<Schema>,
  more: Omit<RouteAnswer, 'schema' | 'example' | 'mediaTypes'> = {},
): RouteAnswer {
  return { ...more, schema, example };
}

/** Members of every route. */
interface RouteFacts {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The whole documented path, with parameters in braces. */
  path: string;
  /** Name of the operation, for logs and metrics. */
  operation: string;
  family: RouteFamily;
  summary: string;
  parameters: readonly RouteParameter[];
  body?: RouteBody;
  answer: RouteAnswer;
  /** Documented error codes that are specific to it, as its document writes them. */
  errors?: readonly string[];
  /** 404 when the object in the path does not exist. */
  mayBeMissing?: true;
  /** Changes nothing although its method is POST, so that it leaves no entry in the audit log. */
  onlyReads?: true;
  /** Transfers files: neither the time limit nor the body limit of requests applies; only silence ends it. */
  transfer?: boolean;
  /** Set if it may answer "no data" with 200: the name of the code in that body (D-01). */
  noDataKey?: 'errorCode' | 'error_code';
  /** Unexpected failures are answered as "no data" with `X-Degraded: true` (D-48); they are logged all the same. */
  failsAsNoData?: boolean;
  /** Documented names of the operation's input fields, for the problems that the operation reports. */
  fieldNames?: Readonly<Record<string, string>>;
  /**
   * Translates the request to GraphQL, reading parameters like `run`, but no data. Throws what `run` throws for refused
   * parameters.
   */
  explain(request: RequestFacts): Translation | Promise<Translation>;
}

/** A route that requires a session. */
export interface SessionRoute extends RouteFacts {
  auth?: 'session';
  run: (ctx: SignedInContext, request: RestRequest) => Promise<RestReply>;
}

/** A route for a customer with an API key, or for anybody. */
export interface OpenRoute extends RouteFacts {
  auth: 'customer' | 'none';
  run: (ctx: Context, request: RestRequest) => Promise<RestReply>;
}

/** A route for a directory with a SCIM token. It has no translation: GraphQL has operations of its own for users. */
export interface ScimRoute extends Omit<RouteFacts, 'explain'> {
  family: 'scim';
  auth: 'scim';
  explain?: undefined;
  run: (ctx: Context, request: RestRequest) => Promise<RestReply>;
}

/** One documented path. The table of all routes serves requests, `trivium routes` and the OpenAPI document. */
export type Route = SessionRoute | OpenRoute | ScimRoute;

/** The seven identity names: values of clients for them are ignored (F005). */
export const identityNames: ReadonlySet<string> = new Set([
  'domain_id',
  'user_id',
  'unit_id',
  'dept_id',
  'profile_id',
  'time_zone_long',
  'lang_code',
]);
