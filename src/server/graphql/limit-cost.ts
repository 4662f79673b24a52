import {
  getOperationAST,
  OperationTypeNode,
  type ExecutionArgs,
  type ExecutionResult,
  type OperationDefinitionNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../core/context/context.ts';
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
      const { operation, cost, refused } = measure(args);
      if (refused) setResultAndStopExecution(refused);
      if (!cost || refused) return undefined;
      return {
        onExecuteDone({ result, setResult }) {
          if (!isSingleResult(result)) return;
          const { fragments, res } = args.contextValue;
          const answer = limitAnswer(result, fragments, {
            ...(res && { response: res }),
            isMutation: operation?.operation === OperationTypeNode.MUTATION,
          });
          answer.extensions = { ...answer.extensions, cost };
          if (answer !== result) setResult(answer);
        },
      };
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const { refused } = measure(args);
      if (refused) setResultAndStopExecution(refused);
    },
  };
}

interface Cost {
  requested: number;
  limit: number;
  remaining: number;
}

interface Measured {
  operation?: OperationDefinitionNode;
  cost?: Cost;
  /** The answer in place of an operation that is not to run. */
  refused?: ExecutionResult | undefined;
}

/** What an operation costs, unless its variables are too large to find out. Nothing where there is no such operation. */
function measure({ document, operationName, variableValues }: ExecutionArgs): Measured {
  const operation = getOperationAST(document, operationName);
  if (!operation) return {};
  const variables = isRecord(variableValues) ? variableValues : {};
  const fault = checkVariables(schema, operation, variables);
  if (fault) return { operation, refused: { errors: [fault] } };
  const requested = operationCost(schema, document, operation, variables);
  const cost = {
    requested: Number.isFinite(requested) ? requested : limits.cost + 1,
    limit: limits.cost,
    remaining: Math.max(0, limits.cost - requested),
  };
  return { operation, cost, refused: requested > limits.cost ? tooExpensive(cost) : undefined };
}

function tooExpensive(cost: Cost): ExecutionResult {
  const message = `The operation costs more than ${limits.cost}: ask for smaller pages`;
  return { errors: [refusal(message, 'COST_LIMIT_EXCEEDED')], extensions: { cost } };
}

function isSingleResult(value: unknown): value is ExecutionResult {
  return isRecord(value) && !(Symbol.asyncIterator in value);
}
