import type { ExecutionArgs } from 'graphql';
import {
  createYoga,
  processRegularResult,
  type Plugin,
  type YogaServerInstance,
} from 'graphql-yoga';
import { createFetch } from '@whatwg-node/fetch';
import type { Context, Services } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { isRecord } from '../../core/json-values.ts';
import { useChosenReads } from './choose-reads.ts';
import { presentGraphQLError } from './errors.ts';
import { useIdentifiedViewer } from './identify-viewer-first.ts';
import {
  checkTrustedDocuments,
  namedText,
  useTrustedDocuments,
  type TrustedDocuments,
} from './trusted-documents.ts';
import {
  leanContext,
  RepeatedOperations,
  CompiledQueries,
  useCompiledQueries,
  useLeanResponses,
} from './fast/fast-lane.ts';
import { createLines, refuseWithoutPages, type AnswerLines } from './json-lines.ts';
import { limitCost } from './limit-cost.ts';
import { limitDocuments } from './limit-documents.ts';
import { observeOperations, outcomeOf } from './observe-operations.ts';
import { MAX_BODY_BYTES } from '../http/read-body.ts';
import type { OpenStreams } from './open-streams.ts';
import { schema } from './schema/schema.ts';
import { MOST_PARTS, refuseBrokenRequests } from './refuse-broken-requests.ts';
import { subscribe } from './subscribe.ts';

export interface GraphQLServer {
  yoga: YogaServerInstance<Partial<Context>, Partial<Context>>;
  /** Answers what came before, unless the fast lane is off. */
  repeated: RepeatedOperations | undefined;
  answerLines: AnswerLines;
}

/** Creates the GraphQL surface; with `trusted`, it runs these documents only. */
export function createGraphQL(
  services: Services,
  streams: OpenStreams,
  trusted: TrustedDocuments | undefined,
): GraphQLServer {
  const { config } = services;
  const compiled = services.fastLane ? new CompiledQueries() : undefined;
  const repeated = services.fastLane
    ? new RepeatedOperations(schema, trusted && ((asked) => namedText(trusted, asked)))
    : undefined;
  const plugins = [
    useIdentifiedViewer(),
    observeOperations(services.telemetry),
    ...(trusted ? [useTrustedDocuments(trusted)] : []),
    refuseBrokenRequests(),
    limitDocuments(config),
    refuseWithoutPages(),
    limitCost(),
    runSubscriptions({ log: services.log, streams, compiled }),
    useChosenReads(services.replicas),
    ...(compiled && repeated ? [useCompiledQueries(compiled, repeated)] : []),
    finishResults(config.introspection),
    ...(services.fastLane ? [useLeanResponses()] : []),
  ];
  repeated?.runHooksOf(plugins);
  const yoga = createYoga<Partial<Context>, Partial<Context>>({
    schema,
    fetchAPI: createFetch({ formDataLimits: { parts: MOST_PARTS } }),
    context: leanContext,
    graphqlEndpoint: `${config.basePath}/graphql`,
    landingPage: false,
    graphiql: false,
    cors: false,
    batching: false,
    logging: false,
    maxRequestBodySize: MAX_BODY_BYTES,
    parserAndValidationCache: true,
    maskedErrors: {
      maskError: (error) => presentGraphQLError(error, config.introspection),
    },
    ...(trusted && { extraParamNames: ['documentId'] }),
    plugins,
  });
  if (trusted) checkTrustedDocuments(trusted, yoga.getEnveloped({}), services.log);
  return { yoga, repeated, answerLines: createLines(yoga) };
}

/** Runs subscriptions with our own `subscribe`. */
function runSubscriptions(running: Parameters<typeof subscribe>[1]): Plugin {
  return {
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn((args: ExecutionArgs) => subscribe(args, running));
    },
  };
}

/** Gives every error a code, logs the unexpected ones once, and lets a refused subscription say why. */
function finishResults(suggests: boolean): Plugin {
  return {
    onExecutionResult(event) {
      const { result, context } = event;
      if (!result || !('errors' in result) || !result.errors) return;
      const errors = result.errors.map((error) => presentGraphQLError(error, suggests));
      event.setResult({ ...result, errors });
      if (!isContext(context)) return;
      context.trace.outcome = outcomeOf(errors);
      for (const { originalError } of result.errors) {
        if (!(originalError instanceof AppError) || originalError.code !== 'E302') continue;
        context.trace.told = true;
        context.log.error(
          { err: originalError.cause ?? originalError, requestId: context.requestId },
          'resolver failed',
        );
      }
    },
    onResultProcess(event) {
      if (!event.resultProcessor)
        event.setResultProcessor(processRegularResult, 'application/json');
    },
  };
}

function isContext(value: unknown): value is Context {
  return isRecord(value) && 'requestId' in value;
}
