import { fold } from '../../../core/text.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { parseRowId } from '../../users/decode-user-id.ts';
import { textCondition, textOf, type Conditions } from '../protocol/compare.ts';
import type { Term } from '../protocol/parse-filter.ts';

type Where = Prisma.DeptWhereInput;

const ALL: Where = {};
const NONE: Where = { id: { in: [] } };

const member = (term: Term): Where => {
  if (term.op !== 'pr' && term.op !== 'eq') return NONE;
  const userId = term.op === 'eq' ? { userId: parseRowId(textOf(term)) ?? 0 } : {};
  return { members: { some: { ...userId, user: { removedAt: null } } } };
};

const conditions = new Map<string, (term: Term) => Where>([
  [
    'id',
    (term) => {
      if (term.op === 'pr') return ALL;
      return term.op === 'eq' ? { id: parseRowId(textOf(term)) ?? 0 } : NONE;
    },
  ],
  [
    'displayname',
    (term) => (term.op === 'pr' ? ALL : { nameFold: textCondition(term.op, fold(textOf(term))) }),
  ],
  [
    'externalid',
    (term) =>
      term.op === 'pr'
        ? { NOT: { externalId: null } }
        : { externalId: textCondition(term.op, textOf(term)) },
  ],
  ['members', member],
  ['members.value', member],
]);

/** How groups are filtered, by the canonical name of an attribute. */
export const groupConditions: Conditions<Where> = (path) => conditions.get(path);
