import {
  getOperationAST,
  OperationTypeNode,
  type ExecutionResult,
  type GraphQLError,
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
import { refusal } from './limits/refusal.ts';
import { isRecord } from '../../core/json-values.ts';

/**
 * Refuses operations that cost too much, and answers that are too large; returns the cost of every operation in
 * `extensions.cost` (D-80).
 */
export function limitCost(): Plugin<Context> {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const fault = variablesFault(args);
      if (fault) {
        setResultAndStopExecution({ errors: [fault] });
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
      const fault = variablesFault(args);
      if (fault) return setResultAndStopExecution({ errors: [fault] });
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

function variablesFault(args: Given): GraphQLError | undefined {
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
  const message = `The operation costs more than ${limits.cost}: ask for smaller pages`;
  return { errors: [refusal(message, 'COST_LIMIT_EXCEEDED')], extensions: { cost } };
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isSingleResult(value: unknown): value is ExecutionResult {
  return typeof value === 'object' && value !== null && !(Symbol.asyncIterator in value);
}
