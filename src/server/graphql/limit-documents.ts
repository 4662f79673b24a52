import {
  NoSchemaIntrospectionCustomRule,
  parse,
  SingleFieldSubscriptionsRule,
  specifiedRules,
  validate as validateDocument,
  ValuesOfCorrectTypeRule,
  type DocumentNode,
  type GraphQLSchema,
  type ParseOptions,
  type Source,
  type ValidationRule,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Config } from '../../core/context/config.ts';
import { isDocument } from './is-document.ts';
import { checkDocument } from './limits/check-document.ts';
import { limits } from './limits/limits.ts';
import { namedArguments } from './limits/name-arguments.ts';
import { refusal } from './limits/refusal.ts';
import { oneSubscribedField } from './limits/subscription-root.ts';

const TOO_LONG = `The document is longer than ${limits.characters} characters`;

/**
 * Refuses documents that are too large before they are parsed or validated, and validates without suggestions unless
 * introspection is on.
 */
export function limitDocuments({ introspection }: Pick<Config, 'introspection'>): Plugin {
  /** Documents that passed; Yoga caches documents that come again. */
  const checked = new WeakSet<DocumentNode>();
  return {
    onParse({ setParseFn }) {
      setParseFn((source: string | Source, options: ParseOptions | undefined) => {
        if ((typeof source === 'string' ? source : source.body).length > limits.characters)
          throw refusal(TOO_LONG, 'DOCUMENT_TOO_LARGE');
        return parse(source, { ...options, maxTokens: limits.tokens });
      });
      return ({ result, replaceParseResult }) => {
        if (!isDocument(result) || checked.has(result)) return;
        const refusal = checkDocument(result);
        if (refusal) replaceParseResult(refusal);
        else checked.add(result);
      };
    },
    onValidate({ setValidationFn, addValidationRule }) {
      if (!introspection) addValidationRule(NoSchemaIntrospectionCustomRule);
      setValidationFn(
        (
          schema: GraphQLSchema,
          document: DocumentNode,
          rules: readonly ValidationRule[] | undefined,
        ) =>
          validateDocument(schema, document, rulesOf(rules), {
            maxErrors: 20,
            hideSuggestions: !introspection,
          }),
      );
    },
  };
}

/** Rules that are ours instead of those of graphql-js: they say more, or refuse more. */
const replaced = new Map<ValidationRule, ValidationRule>([
  [ValuesOfCorrectTypeRule, namedArguments],
  [SingleFieldSubscriptionsRule, oneSubscribedField],
]);

function rulesOf(rules: readonly ValidationRule[] = specifiedRules): readonly ValidationRule[] {
  return rules.map((rule) => replaced.get(rule) ?? rule);
}
