import { getNamedType, isObjectType, type GraphQLObjectType, type GraphQLSchema } from 'graphql';
import type { Route } from '../../../core/rest/route.ts';
import type { Trace } from '../../../core/context/telemetry.ts';

/** The name of an operation in the metrics of requests. */
export type OperationName = Pick<Trace, 'surface' | 'operation' | 'path'>;

/** All names under which requests can be counted (`nameOperation`). */
export function knownOperations(
  routes: readonly Route[],
  schema: GraphQLSchema,
): readonly OperationName[] {
  const rest = [
    'unknown',
    'healthz',
    'readyz',
    'front',
    'datasets',
    'graphiql',
    'documentation',
    'explain',
    'signInAtProvider',
  ].map((operation) => ({
    operation,
    path: '',
  }));
  const graphql = [
    'graphql',
    ...namesOf('query', schema.getQueryType()),
    ...namesOf('mutation', schema.getMutationType()),
    ...namesOf('subscription', schema.getSubscriptionType()),
  ];
  return [
    ...[...rest, ...routes].map(({ operation, path }) => ({
      surface: 'rest' as const,
      operation,
      path,
    })),
    ...(['graphql', 'websocket'] as const).flatMap((surface) =>
      graphql.map((operation) => ({ surface, operation, path: '' })),
    ),
  ];
}

function namesOf(kind: string, type: GraphQLObjectType | null | undefined): string[] {
  const fields = type?.getFields() ?? {};
  const below = getNamedType(fields['viewer']?.type);
  const viewer = isObjectType(below) ? Object.keys(below.getFields()) : [];
  return [
    '__typename',
    'several',
    ...Object.keys(fields),
    ...viewer.map((field) => `viewer.${field}`),
  ].map((name) => `${kind} ${name}`);
}
