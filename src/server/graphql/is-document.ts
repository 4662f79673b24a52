import { Kind, type DocumentNode } from 'graphql';
import { isRecord } from '../../core/json-values.ts';

/** Is it a parsed document? Hooks of Yoga are told of anything. */
export function isDocument(value: unknown): value is DocumentNode {
  return isRecord(value) && value['kind'] === Kind.DOCUMENT;
}
