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

/** Begins an act. */
export function startAct(facts: AuditFacts, clock: () => number): Act {
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

/** Runs the work of a transaction; the outermost one of an act also writes its entry. */
export async function recordWithin<T>(
  act: Act | undefined,
  db: Pick<Database, 'prisma'>,
  work: () => Promise<T>,
): Promise<T> {
  if (!act || act.over) return work();
  act.depth++;
  try {
    const result = await work();
    if (act.depth === 1 && act.entryId === undefined)
      act.entryId = await writeAuditLog(db, entryOf(act, { outcome: 'DONE', code: null }));
    return result;
  } finally {
    act.depth--;
  }
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
