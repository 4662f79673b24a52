import { AppError } from '../../../core/errors.ts';
import { isRecord } from '../../../core/json-values.ts';
import { parseRowId } from '../../users/decode-user-id.ts';
import { canonicalName } from '../protocol/attribute-path.ts';
import type { Filter, PatchPath } from '../protocol/parse-filter.ts';
import type { PatchOperation } from '../protocol/read-patch.ts';
import { scimError } from '../protocol/scim-error.ts';
import { pick, readText } from '../protocol/read-values.ts';

/** Most members that one request names. */
const MAX_MEMBERS = 5_000;

/** What a directory says of a department; what is undefined stays as it is. */
export interface GroupChanges {
  displayName?: string;
  externalId?: string | null;
  /** Whether all others leave. */
  clears: boolean;
  joining: Set<number>;
  leaving: Set<number>;
}

type Verb = PatchOperation['op'];

/** Reads a whole group, as POST and PUT send it; attributes that are not known are ignored. Throws SCIM's errors. */
export function readGroupChanges(body: unknown): GroupChanges {
  if (!isRecord(body)) throw scimError('INVALID_SYNTAX', 'The body must be a JSON object');
  const changes = noChanges();
  assignAll(changes, 'replace', body);
  return checked(changes);
}

/** Reads the operations of a PATCH. Throws SCIM's errors. */
export function readGroupPatch(operations: readonly PatchOperation[]): GroupChanges {
  const changes = noChanges();
  for (const { op, target, value } of operations) {
    if (target) assignTarget(changes, op, target, value);
    else if (isRecord(value)) assignAll(changes, op, value);
    else throw scimError('INVALID_VALUE', 'value must be an object');
  }
  return checked(changes);
}

const noChanges = (): GroupChanges => ({ clears: false, joining: new Set(), leaving: new Set() });

function checked(changes: GroupChanges): GroupChanges {
  if (changes.joining.size + changes.leaving.size <= MAX_MEMBERS) return changes;
  throw new AppError('E903', {
    message: `A request names at most ${MAX_MEMBERS} members: send them in several`,
  });
}

function assignTarget(changes: GroupChanges, op: Verb, target: PatchPath, value: unknown): void {
  const { path, which } = target;
  if (path === 'members' && which) {
    if (op !== 'remove')
      throw scimError('INVALID_PATH', 'path names single members only to remove them');
    return change(changes, op, membersIn(which));
  }
  if (path === 'members') return changeMembers(changes, op, value);
  if (path === 'id' || path === 'schemas' || path.startsWith('meta'))
    throw scimError('MUTABILITY', `${path} is read-only`);
  if (path !== 'displayname' && path !== 'externalid')
    throw scimError('INVALID_PATH', 'path names no attribute of a group');
  assign(changes, path, op === 'remove' ? null : value);
}

function assignAll(changes: GroupChanges, op: Verb, object: object): void {
  for (const [name, value] of Object.entries(object)) {
    const path = canonicalName(name);
    if (path === 'members') changeMembers(changes, op, value);
    else assign(changes, path, value);
  }
}

function assign(changes: GroupChanges, path: string, value: unknown): void {
  if (path === 'externalid') changes.externalId = readText('externalId', value, 255);
  if (path !== 'displayname') return;
  const name = readText('displayName', value, 200);
  if (name === null) throw scimError('INVALID_VALUE', 'displayName must not be empty');
  changes.displayName = name;
}

function changeMembers(changes: GroupChanges, op: Verb, value: unknown): void {
  if (op === 'remove' && value == null) return change(changes, 'replace', []);
  const list: unknown[] = Array.isArray(value) ? value : value == null ? [] : [value];
  change(changes, op, list.map(memberOf));
}

function change(changes: GroupChanges, op: Verb, ids: readonly number[]): void {
  const { joining, leaving } = changes;
  if (op === 'replace') {
    changes.clears = true;
    joining.clear();
    leaving.clear();
  }
  const [to, from] = op === 'remove' ? [leaving, joining] : [joining, leaving];
  for (const id of ids) {
    to.add(id);
    from.delete(id);
  }
}

/** `{ "value": "7" }`, or the id alone. */
function memberOf(member: unknown): number {
  if (isRecord(member) && isGroup(member))
    throw scimError('INVALID_VALUE', 'members must be users: groups have no groups');
  const value = isRecord(member) ? pick(member, 'value') : member;
  const id = typeof value === 'string' ? parseRowId(value) : undefined;
  if (id === undefined) throw scimError('INVALID_VALUE', 'members must name users by their id');
  return id;
}

/** Is it said to be something else than a user? Users and groups have ids of their own, so that one may be both. */
function isGroup(member: object): boolean {
  const type = pick(member, 'type') ?? 'User';
  const ref = pick(member, '$ref');
  if (typeof type !== 'string' || type.toLowerCase() !== 'user') return true;
  return typeof ref === 'string' && /\/groups\//i.test(ref);
}

/** `value eq "7"`, or several joined by `or`. */
function membersIn(which: Filter): number[] {
  if ('any' in which) return which.any.flatMap(membersIn);
  if ('path' in which && which.path === 'members.value' && which.op === 'eq')
    return [memberOf(which.value)];
  throw scimError('INVALID_PATH', 'path names members by value eq');
}
