import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type ExecutionResult,
  type OperationDefinitionNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../core/context/context.ts';
import { isDocument } from './is-document.ts';
import { schema } from './schema/schema.ts';
import { limitAnswer } from './limits/answer-size.ts';
import { checkVariables } from './limits/check-variables.ts';
import { limits } from './limits/limits.ts';
import { operationCost } from './limits/operation-cost.ts';
import { isRecord } from '../../core/json-values.ts';

/**
 * Refuses operations that cost too much, and answers that are too large; returns the cost of every operation in
 * `extensions.cost` (D-80).
 */
export function limitCost(): Plugin<Context> {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const refusal = variablesRefusal(args);
      if (refusal) {
        setResultAndStopExecution({ errors: [refusal] });
        return undefined;
      }
      const cost = costOf(args);
      if (!cost) return undefined;
      if (cost.requested > limits.cost) {
        setResultAndStopExecution(tooExpensive(cost));
        return undefined;
      }
      return {
        onExecuteDone({ result, setResult }) {
          if (!isSingleResult(result)) return;
          const { fragments, res } = args.contextValue;
          const answer = limitAnswer(result, fragments, {
            ...(res && { response: res }),
            isMutation: operationOf(args)?.operation === OperationTypeNode.MUTATION,
          });
          answer.extensions = { ...answer.extensions, cost };
          if (answer !== result) setResult(answer);
        },
      };
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const refusal = variablesRefusal(args);
      if (refusal) return setResultAndStopExecution({ errors: [refusal] });
      const cost = costOf(args);
      if (cost && cost.requested > limits.cost) setResultAndStopExecution(tooExpensive(cost));
    },
  };
}

interface Cost {
  requested: number;
  limit: number;
  remaining: number;
}

/** What Yoga hands to the execution of an operation. */
interface Given {
  document?: unknown;
  operationName?: unknown;
  variableValues?: unknown;
}

function operationOf({ document, operationName }: Given): OperationDefinitionNode | undefined {
  return isDocument(document)
    ? (getOperationAST(document, asText(operationName)) ?? undefined)
    : undefined;
}

function variablesRefusal(args: Given): GraphQLError | undefined {
  const operation = operationOf(args);
  return operation && isRecord(args.variableValues)
    ? checkVariables(schema, operation, args.variableValues)
    : undefined;
}

function costOf(args: Given): Cost | undefined {
  const operation = operationOf(args);
  if (!operation || !isDocument(args.document)) return undefined;
  const requested = operationCost(
    schema,
    args.document,
    operation,
    isRecord(args.variableValues) ? args.variableValues : {},
  );
  return {
    requested: Number.isFinite(requested) ? requested : limits.cost + 1,
    limit: limits.cost,
    remaining: Math.max(0, limits.cost - requested),
  };
}

function tooExpensive(cost: Cost): ExecutionResult {
  const refusal = new GraphQLError(
    `The operation costs more than ${limits.cost}: ask for smaller pages`,
    {
      extensions: { code: 'COST_LIMIT_EXCEEDED', http: { spec: true, status: 400 } },
    },
  );
  return { errors: [refusal], extensions: { cost } };
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isSingleResult(value: unknown): value is ExecutionResult {
  return typeof value === 'object' && value !== null && !(Symbol.asyncIterator in value);
}
