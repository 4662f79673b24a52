import { Kind, type DocumentNode } from 'graphql';

/** Is it a parsed document? Hooks of Yoga are told of anything. */
export function isDocument(value: unknown): value is DocumentNode {
  return (
    typeof value === 'object' && value !== null && 'kind' in value && value.kind === Kind.DOCUMENT
  );
}
