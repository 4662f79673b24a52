import { MAX_PAGE_SIZE } from '../../core/lists/pagination.ts';
import type { Translation } from '../../core/rest/route.ts';

/** Arguments of a connection that stands for a REST list. */
export const allRows = { first: MAX_PAGE_SIZE, after: null } as const;

/** Note on a REST list without pages. */
export const pagedInGraphQL = `REST gives the whole list at once, GraphQL pages of ${MAX_PAGE_SIZE}: while hasNextPage, ask again with the endCursor as after.`;

/** Note on the answer in place of a failed envelope, when the parent object is not visible. */
export const nullInGraphQL = 'What REST answers with a …_NOT_FOUND code is null in GraphQL.';

/** Translates a write to GraphQL: a mutation with one `input`, whose expected failures are members of its result. */
export function explainChange(
  field: string,
  input: object,
  answer: {
    /** The type of the result when it succeeds, and what is asked of it. */
    payload: string;
    selection: string;
    notes?: readonly string[];
  },
): Translation {
  return {
    steps: [{ field, args: { input } }],
    select: `... on ${answer.payload} { ${answer.selection} } ... on UserError { code message }`,
    notes: answer.notes ?? [],
  };
}
