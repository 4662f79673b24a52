import { builder } from '../../../core/graphql/builder.ts';
import type { IgnoredParameter } from '../../../core/rest/route.ts';
import { graphiqlTarget } from '../translate/graphiql-target.ts';
import { translateRequest, type ExplainedRequest } from '../translate/translate-request.ts';
import { costs } from '../../../core/graphql/field-cost.ts';

const IgnoredParameterRef = builder.objectRef<IgnoredParameter>('IgnoredParameter').implement({
  description: 'A REST parameter that was ignored, wholly or in part.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the parameter.' }),
    reason: t.exposeString('reason', {
      description: 'Why it was ignored, in English, for people.',
    }),
    defaulted: t.exposeBoolean('defaulted', {
      description: 'Whether its default applies, because its value was invalid.',
    }),
  }),
});

const OperationKindEnum = builder.enumType('LegacyRequestKind', {
  description: 'Whether a request reads or writes.',
  values: {
    READ: { value: 'QUERY', description: 'A query, which reads.' },
    WRITE: { value: 'MUTATION', description: 'A mutation, which changes something.' },
  } as const,
});

const LegacyTranslation = builder.objectRef<ExplainedRequest>('LegacyTranslation').implement({
  description: 'A REST request translated to GraphQL.',
  fields: (t) => ({
    method: t.exposeString('method', { description: 'HTTP method of the request.' }),
    path: t.string({
      description: 'Path of the request, as documented.',
      resolve: ({ route }) => route.path,
    }),
    kind: t.expose('kind', { type: OperationKindEnum, description: 'Whether it reads or writes.' }),
    field: t.exposeString('field', {
      description: 'The equivalent field, from the root, such as viewer.feeds.',
    }),
    operation: t.exposeString('text', { description: 'Text of the operation.' }),
    variables: t.field({
      type: 'JSON',
      description: 'Variables of the operation, by name.',
      resolve: ({ variables }) => variables,
    }),
    ignoredParameters: t.expose('ignored', {
      type: [IgnoredParameterRef],
      extensions: costs({ rows: 20 }),
      description: 'Parameters of the request that were ignored. REST: X-Ignored-Parameters.',
    }),
    notes: t.exposeStringList('notes', { description: 'Notes on differences, for people.' }),
    estimatedCost: t.exposeInt('cost', {
      description: 'Cost of the operation, as in extensions.cost.requested.',
    }),
    graphiqlUrl: t.field({
      type: 'URL',
      nullable: true,
      description:
        "Path of GraphiQL with the operation, relative to the gateway; null if GraphiQL is off or can't send the operation.",
      resolve: ({ standalone }, _, ctx) => graphiqlTarget(ctx.config, standalone),
    }),
  }),
});

builder.queryField('translateLegacyRequest', (t) =>
  t.field({
    type: LegacyTranslation,
    description:
      'Translates a REST request to GraphQL without running it. If REST would refuse the request, this fails with its legacyCode. For people: GET /explain.',
    args: {
      url: t.arg.string({
        required: true,
        description:
          'Request to translate: a URL of this gateway, a path with its query, or a whole curl command line.',
      }),
      method: t.arg.string({
        description:
          'HTTP method; by default that of the command line, else GET, or POST if there is a body.',
      }),
      body: t.arg.string({ description: 'Body of the request: JSON or a form.' }),
    },
    resolve: async (_, { url, method, body }, ctx, info) => {
      // Needs no session, but takes work: so it is limited per address.
      if (!ctx.viewer && !ctx.customer)
        await ctx.callLimits.takeFrom(ctx.remoteAddress, 'translations');
      return translateRequest(
        info.schema,
        { baseUrl: ctx.baseUrl, basePath: ctx.config.basePath },
        { url, method: method ?? undefined, body: body ?? undefined },
      );
    },
  }),
);
