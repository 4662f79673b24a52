import type { Database } from '../database/db.ts';
import { isUuid } from '../uuid.ts';
import type { Customer, ScimClient } from './customer.ts';
import type { Viewer } from './viewer.ts';
import {
  MAX_OBJECTS,
  writeAuditLog,
  type AuditEntry,
  type AuditFacts,
  type AuditOutcome,
} from './write-audit-log.ts';

/** A write while it is being done. It leaves one entry in the audit log, which its operation may tell more. */
export interface Act extends AuditFacts {
  objects: string[];
  clock: () => number;
  /** The entry, as soon as it is written. */
  entryId?: bigint | undefined;
  /** How many transactions are open in each other. */
  depth: number;
  /** Whether the domain takes writes; undefined: the database will tell. */
  isOpen?: boolean | undefined;
  /** Later transactions, of jobs that it started, are no part of it. */
  over: boolean;
}

/** The part of a context that has the act of a request. */
export interface Acting {
  readonly act?: Act | undefined;
}

/** The part of a context that says who sends the request. */
interface Caller {
  readonly viewer: Viewer | null;
  readonly customer: Customer | null;
  readonly scim?: ScimClient | undefined;
  readonly remoteAddress: string;
  readonly requestId: string;
}

/** Who sends a request, and from where, as the audit log writes it. */
export function actorOf({
  viewer,
  customer,
  scim,
  remoteAddress,
  requestId,
}: Caller): Pick<AuditFacts, 'actor' | 'userId' | 'domainId' | 'address' | 'requestId'> {
  const from = { address: remoteAddress || null, requestId };
  if (viewer)
    return {
      actor: `user:${viewer.userId}`,
      userId: viewer.userId,
      domainId: viewer.domainId,
      ...from,
    };
  if (scim) return { actor: `scim:${scim.tokenId}`, domainId: scim.domainId, ...from };
  return customer
    ? { actor: `customer:${customer.customerId}`, domainId: customer.domainId, ...from }
    : { actor: 'unknown', ...from };
}

/** Whether the domain of who sends a request takes writes; undefined: the database will tell. */
export function isOpenTo({ viewer, scim, customer }: Caller): boolean | undefined {
  return (viewer ?? scim ?? customer)?.isOpen;
}

/** Begins an act. */
export function startAct(facts: AuditFacts & Pick<Act, 'isOpen'>, clock: () => number): Act {
  return { ...facts, objects: [...(facts.objects ?? [])], clock, depth: 0, over: false };
}

/** Names an object of the current act; ids that are not ours are left out. */
export function tellObject({ act }: Acting, typename: string, id: string | number): void {
  if (!act || act.objects.length >= MAX_OBJECTS) return;
  const text = String(id).toLowerCase();
  const object = `${typename}:${text}`;
  if ((isUuid(text) || /^\d{1,15}$/.test(text)) && !act.objects.includes(object))
    act.objects.push(object);
}

/** Adds to what is known of the current act, such as the user of a sign-in. */
export function tellAct({ act }: Acting, more: Partial<AuditFacts>): void {
  if (act) Object.assign(act, more);
}

/** Runs the work of a transaction of an act; its entry is for the outermost to write: see recordLast. */
export async function actWithin<T>(act: Act | undefined, work: () => Promise<T>): Promise<T> {
  if (!act) return work();
  act.depth++;
  try {
    return await work();
  } finally {
    act.depth--;
  }
}

/** Writes the entry of an act, if this is the end of its outermost transaction. */
export async function recordLast(act: Act | undefined, db: Pick<Database, 'rows'>): Promise<void> {
  if (!act || act.over || act.depth > 0 || act.entryId !== undefined) return;
  act.entryId = await writeAuditLog(db, entryOf(act, { outcome: 'DONE', code: null }));
}

/** The entry of an act. */
export function entryOf(
  act: Act,
  ended: { outcome: AuditOutcome; code: string | null },
): AuditEntry {
  const { actor, userId, domainId, surface, action, objects, target, address, requestId } = act;
  return {
    ...{ actor, userId, domainId, surface, action, objects, target, address, requestId },
    ...ended,
    at: new Date(act.clock()),
  };
}
