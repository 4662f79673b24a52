import { getNamedType, isObjectType, type GraphQLObjectType, type GraphQLSchema } from 'graphql';
import type { Route } from '../../../core/rest/route.ts';
import type { Trace } from '../../../core/context/telemetry.ts';

/** What the metrics of requests call an operation. */
export type OperationName = Pick<Trace, 'face' | 'operation' | 'path'>;

/** Every operation that a request can turn out to be, by the names that requests are counted under (`nameOperation`). */
export function knownOperations(
  routes: readonly Route[],
  schema: GraphQLSchema,
): readonly OperationName[] {
  const rest = ['unknown', 'healthz', 'readyz', 'documentation', 'explain'].map((operation) => ({
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
      face: 'rest' as const,
      operation,
      path,
    })),
    ...(['graphql', 'websocket'] as const).flatMap((face) =>
      graphql.map((operation) => ({ face, operation, path: '' })),
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
