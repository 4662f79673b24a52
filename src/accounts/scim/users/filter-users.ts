import { fold, foldLogin } from '../../../core/text.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { parseRowId } from '../../users/decode-user-id.ts';
import { flagOf, textCondition, textOf, type Conditions } from '../protocol/compare.ts';
import type { Term } from '../protocol/parse-filter.ts';
import { isNotKept } from './not-kept.ts';

type Where = Prisma.UserWhereInput;
type Column = 'externalId' | 'displayName' | 'givenName' | 'familyName' | 'email' | 'langCode';

const ALL: Where = {};
const NONE: Where = { id: { in: [] } };

const text =
  (column: Column, anyCase = true) =>
  (term: Term): Where =>
    term.op === 'pr'
      ? { NOT: { [column]: null } }
      : { [column]: textCondition(term.op, textOf(term), anyCase) };

/** Logins are kept in lower case. */
const login = (term: Term): Where =>
  term.op === 'pr' ? ALL : { login: textCondition(term.op, foldLogin(textOf(term))) };

const id = (term: Term): Where => {
  if (term.op === 'pr') return ALL;
  return term.op === 'eq' ? { id: parseRowId(textOf(term)) ?? 0 } : NONE;
};

const department = (term: Term): Where =>
  term.op === 'pr'
    ? { NOT: { unitId: null } }
    : { unit: { nameFold: textCondition(term.op, fold(textOf(term))) } };

const group = (term: Term): Where => {
  if (term.op !== 'pr' && term.op !== 'eq') return NONE;
  const deptId = term.op === 'eq' ? { deptId: parseRowId(textOf(term)) ?? 0 } : {};
  return { depts: { some: { ...deptId, dept: { removedAt: null } } } };
};

/** Languages are kept with hyphens. */
const locale = (term: Term): Where =>
  text('langCode')({ ...term, value: String(term.value).replaceAll('_', '-') });

/** The one address that is kept is that for work. */
const emailIs =
  (holds: (term: Term) => boolean) =>
  (term: Term): Where =>
    term.op === 'pr' || holds(term) ? { NOT: { email: null } } : NONE;

const conditions = new Map<string, (term: Term) => Where>([
  ['id', id],
  ['username', login],
  ['externalid', text('externalId', false)],
  ['displayname', text('displayName')],
  ['name.formatted', text('displayName')],
  ['name.givenname', text('givenName')],
  ['name.familyname', text('familyName')],
  ['emails', text('email')],
  ['emails.value', text('email')],
  ['emails.type', emailIs((term) => term.op === 'eq' && textOf(term).toLowerCase() === 'work')],
  ['emails.primary', emailIs(flagOf)],
  ['locale', locale],
  ['groups', group],
  ['groups.value', group],
  ['enterprise.department', department],
  [
    'active',
    (term) =>
      term.op === 'pr' ? ALL : flagOf(term) ? { disabledAt: null } : { NOT: { disabledAt: null } },
  ],
]);

const none = (): Where => NONE;

/** How users are filtered, by the canonical name of an attribute. Nobody has a value of one that is not kept. */
export const userConditions: Conditions<Where> = (path) =>
  conditions.get(path) ?? (isNotKept(path) ? none : undefined);
