import { isRecord } from '../../../core/json-values.ts';
import { canonicalName } from '../protocol/attribute-path.ts';
import { isKept } from './is-kept.ts';
import { isNotKept } from './not-kept.ts';
import { scimError } from '../protocol/scim-error.ts';
import { pick, readText } from '../protocol/read-values.ts';
import type { PatchOperation } from '../protocol/read-patch.ts';

/** What a directory says of a user; what is undefined stays as it is, null clears. */
export interface UserChanges {
  userName?: string;
  externalId?: string | null;
  displayName?: string | null;
  /** The name for display where there is no other. */
  formatted?: string | null;
  givenName?: string | null;
  familyName?: string | null;
  email?: string | null;
  active?: boolean | undefined;
  locale?: string | null;
  timeZone?: string | null;
  unit?: string | null;
}

type TextField = Exclude<keyof UserChanges, 'userName' | 'active'>;

/** By the canonical name of an attribute; `name` as it is written. */
const texts = new Map<string, { name: string; field: TextField; max: number }>(
  (
    [
      ['externalId', 'externalId', 255],
      ['displayName', 'displayName', 200],
      ['name.formatted', 'formatted', 200],
      ['name.givenName', 'givenName', 200],
      ['name.familyName', 'familyName', 200],
      ['emails', 'email', 320],
      ['emails.value', 'email', 320],
      ['locale', 'locale', 35],
      ['timezone', 'timeZone', 64],
      ['enterprise.department', 'unit', 200],
    ] as const
  ).map(([name, field, max]) => [
    name.toLowerCase(),
    { name: name.replace('enterprise.', ''), field, max },
  ]),
);

/** Attributes with parts, whose values may come as an object. */
const wholes = new Set(['name', 'enterprise']);

const readOnly = new Set(['id', 'schemas', 'meta', 'groups']);

/** Reads a whole user, as POST and PUT send it; attributes that are not known are ignored. Throws invalidSyntax, invalidValue. */
export function readUserChanges(body: unknown): UserChanges {
  if (!isRecord(body)) throw scimError('INVALID_SYNTAX', 'The body must be a JSON object');
  const changes: UserChanges = {};
  assignAll(changes, body, { prefix: '', adds: false });
  return changes;
}

/** Reads the operations of a PATCH of a user who has this address. Throws invalidPath, invalidValue, mutability. */
export function readUserPatch(
  operations: readonly PatchOperation[],
  { email }: { email: string | null },
): UserChanges {
  const changes: UserChanges = {};
  for (const { op, target, value } of operations) {
    // One more address does not replace the one that is kept, unless it is for work, too, or the new primary one.
    const adds = op === 'add' && (changes.email === undefined ? email : changes.email) !== null;
    if (!target) {
      if (!isRecord(value)) throw scimError('INVALID_VALUE', 'value must be an object');
      assignAll(changes, value, { prefix: '', adds });
      continue;
    }
    const { path, which } = target;
    const [whole = ''] = path.split('.');
    if (readOnly.has(whole)) throw scimError('MUTABILITY', `${whole} is read-only`);
    if (!isKnown(path)) throw scimError('INVALID_PATH', 'path names no attribute of a user');
    // Another address than that for work is not kept.
    if (which && !isKept(which, changes.email === undefined ? email : changes.email)) continue;
    assign(changes, path, { value: op === 'remove' ? null : value, adds: adds && !which });
  }
  return changes;
}

function isKnown(path: string): boolean {
  const isOurs = path === 'username' || path === 'active' || wholes.has(path) || texts.has(path);
  return isOurs || path === 'password' || isNotKept(path);
}

function assignAll(
  changes: UserChanges,
  object: object,
  { prefix, adds }: { prefix: string; adds: boolean },
): void {
  for (const [name, value] of Object.entries(object)) {
    // `emails[type eq "work"].value` may stand as a key, too.
    const path = prefix + canonicalName(name).replace(/\[type eq "work"\]/, '');
    assign(changes, path, { value, adds });
  }
}

function assign(
  changes: UserChanges,
  path: string,
  { value, adds }: { value: unknown; adds: boolean },
): void {
  if (wholes.has(path)) {
    if (isRecord(value)) return assignAll(changes, value, { prefix: `${path}.`, adds });
    if (value === null)
      for (const part of partsOf(path)) assign(changes, part, { value: null, adds });
    return;
  }
  if (path === 'username') changes.userName = readText('userName', value, 200) ?? missing();
  else if (path === 'active') changes.active = flagOf(value) ?? changes.active;
  else {
    const known = texts.get(path);
    if (!known) return;
    const { name, field, max } = known;
    const kept = path === 'emails' ? workOf(value, adds) : value;
    if (kept !== undefined) changes[field] = readText(name, kept, max);
  }
}

const partsOf = (path: string): string[] =>
  [...texts.keys()].filter((one) => one.startsWith(`${path}.`));

/**
 * The address that is kept of a list: the primary one, else that for work, else the first; undefined where it is added to
 * one that is kept, and neither.
 */
function workOf(value: unknown, adds: boolean): unknown {
  if (!Array.isArray(value) && !isRecord(value)) return value;
  const all = [value].flat().filter(isRecord);
  const found =
    all.find((one) => String(pick(one, 'primary')).toLowerCase() === 'true') ??
    all.find((one) => pick(one, 'type') === 'work') ??
    (adds ? undefined : all[0]);
  return found ? (pick(found, 'value') ?? null) : adds ? undefined : null;
}

/** A flag, which some directories send as a text; undefined for null. Throws invalidValue. */
function flagOf(value: unknown): boolean | undefined {
  if (value == null) return undefined;
  const text = typeof value === 'boolean' || typeof value === 'string' ? String(value) : '';
  if (!/^(true|false)$/i.test(text))
    throw scimError('INVALID_VALUE', 'active must be true or false');
  return text.toLowerCase() === 'true';
}

function missing(): never {
  throw scimError('INVALID_VALUE', 'userName must not be empty');
}
