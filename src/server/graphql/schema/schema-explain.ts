import { builder } from '../../../core/graphql/builder.ts';
import type { IgnoredParameter } from '../../../core/rest/route.ts';
import { graphiqlTarget } from '../translate/graphiql-target.ts';
import { translateRequest, type ExplainedRequest } from '../translate/translate-request.ts';
import { costs } from '../../../core/graphql/field-cost.ts';

const IgnoredParameterRef = builder.objectRef<IgnoredParameter>('IgnoredParameter').implement({
  description: 'A parameter of REST that does not count, or not as it was sent.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    reason: t.exposeString('reason', { description: 'For people.' }),
    defaulted: t.exposeBoolean('defaulted', {
      description: 'It could not be read, so that its default counts.',
    }),
  }),
});

const OperationKindEnum = builder.enumType('LegacyRequestKind', {
  description: 'What a request does.',
  values: {
    READ: { value: 'QUERY', description: 'It reads: a query.' },
    WRITE: { value: 'MUTATION', description: 'It changes something: a mutation.' },
  } as const,
});

const LegacyTranslation = builder.objectRef<ExplainedRequest>('LegacyTranslation').implement({
  description: 'A REST request and what it is in GraphQL.',
  fields: (t) => ({
    method: t.exposeString('method', { description: 'Method of the request.' }),
    path: t.string({
      description: 'The documented path that it calls.',
      resolve: ({ route }) => route.path,
    }),
    kind: t.expose('kind', { type: OperationKindEnum, description: 'Does it read or write?' }),
    field: t.exposeString('field', {
      description: 'The field that answers, from the root, such as viewer.feeds.',
    }),
    operation: t.exposeString('text', { description: 'Text of the GraphQL operation.' }),
    variables: t.field({
      type: 'JSON',
      description: 'Its variables.',
      resolve: ({ variables }) => variables,
    }),
    ignoredParameters: t.expose('ignored', {
      type: [IgnoredParameterRef],
      extensions: costs({ rows: 20 }),
      description: 'What was sent and does not count. REST: X-Ignored-Parameters.',
    }),
    notes: t.exposeStringList('notes', { description: 'What differs, for people.' }),
    estimatedCost: t.exposeInt('cost', { description: 'What extensions.cost.requested will say.' }),
    graphiqlUrl: t.field({
      type: 'URL',
      nullable: true,
      description:
        'GraphiQL with the operation. Relative to the gateway; null where GraphiQL is off and for what it can not send.',
      resolve: ({ standalone }, _, ctx) => graphiqlTarget(ctx.config, standalone),
    }),
  }),
});

builder.queryField('translateLegacyRequest', (t) =>
  t.field({
    type: LegacyTranslation,
    description:
      'Says what a REST request is in GraphQL, without running it. What REST would refuse is an error with its legacyCode. For people: GET /explain.',
    args: {
      url: t.arg.string({
        required: true,
        description: 'A URL of this gateway, a path with its query, or a whole curl command line.',
      }),
      method: t.arg.string({ description: 'GET when left out, POST when there is a body.' }),
      body: t.arg.string({ description: 'JSON or a form.' }),
    },
    resolve: async (_, { url, method, body }, ctx, info) => {
      // Needs no session, but the work of the gateway.
      if (!ctx.viewer && !ctx.customer) await ctx.callLimits.takeFrom(ctx.remoteAddress);
      return translateRequest(
        info.schema,
        { baseUrl: ctx.baseUrl, basePath: ctx.config.basePath },
        { url, method: method ?? undefined, body: body ?? undefined },
      );
    },
  }),
);
