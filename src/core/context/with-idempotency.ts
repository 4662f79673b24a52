import { hash } from 'node:crypto';
import type * as z from 'zod';
import { isRecord } from '../json-values.ts';
import type { Services } from './context.ts';
import { inTransaction, type InTransaction } from './in-transaction.ts';
import { IdempotencyError, ValidationError } from '../errors.ts';
import { lockOf, tryLock } from '../sql/writes.sql.ts';
import type { Prisma } from '../../generated/prisma/client.ts';

const DAY = 86_400_000;

export interface IdempotentWrite<T> {
  /** Owner of the key: `customer:<id>` or `user:<id>`. */
  scope: string;
  operation: string;
  /** Without a key the work is done each time. */
  key: string | null | undefined;
  /** The request, as JSON; a key is valid for one request. */
  request: unknown;
  /** Schema of the result of `work`, which is stored as JSON. */
  answer: z.ZodType<T>;
}

export interface IdempotentAnswer<T> {
  answer: T;
  /** True when this is the answer of an earlier request with the same key. */
  replayed: boolean;
}

/**
 * Does a write at most once per key within 24 hours (D-78). The key, the writes of `work` and its answer are committed
 * in one transaction, so a crash leaves all of it or nothing. Failures are not stored. `work` must only use the
 * context that it is given. Throws IdempotencyError, and ValidationError for a malformed key.
 */
export async function withIdempotency<
  Ctx extends Pick<Services, 'db' | 'clock'>,
  T extends Prisma.InputJsonValue,
>(
  ctx: Ctx,
  write: IdempotentWrite<T>,
  work: (tx: InTransaction<Ctx>) => Promise<T>,
): Promise<IdempotentAnswer<T>> {
  const { key } = write;
  const id = key == null ? undefined : identify(write, key);
  return inTransaction(ctx, async (tx) => {
    if (!id) return { answer: await work(tx), replayed: false };
    // A second request that comes while the first still runs is refused at once, instead of waiting for it.
    const locked = await tryLock.first(tx.db, { lock: lockOf(id.scope, id.operation, id.key) });
    const earlier = await storedAnswer(tx, write);
    if (earlier) return earlier;
    if (!locked?.free) throw new IdempotencyError('RUNNING');
    const answer = await work(tx);
    const now = ctx.clock();
    const record = {
      requestHash: hashRequest(write),
      answer,
      createdAt: new Date(now),
      expiresAt: new Date(now + DAY),
    };
    await tx.db.prisma.idempotencyRecord.upsert({
      where: { scope_operation_key: id },
      create: { ...id, ...record },
      update: record,
    });
    return { answer, replayed: false };
  });
}

/**
 * The answer of an earlier request with the same key, if there is one. Saves the work of preparing a request that will
 * be a replay. Throws IdempotencyError, ValidationError.
 */
export async function storedAnswer<T>(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  write: IdempotentWrite<T>,
): Promise<IdempotentAnswer<T> | undefined> {
  if (write.key == null) return undefined;
  const found = await db.prisma.idempotencyRecord.findUnique({
    where: {
      scope_operation_key: identify(write, write.key),
      expiresAt: { gt: new Date(clock()) },
    },
    select: { requestHash: true, answer: true },
  });
  if (!found) return undefined;
  if (!hashRequest(write).equals(found.requestHash)) throw new IdempotencyError('REUSED');
  return { answer: write.answer.parse(found.answer), replayed: true };
}

interface RecordId {
  scope: string;
  operation: string;
  key: string;
}

function identify({ scope, operation }: IdempotentWrite<unknown>, key: string): RecordId {
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return { scope, operation, key };
  const fault = 'must be 1 to 255 printable ASCII characters';
  const message = `Idempotency-Key ${fault}`;
  const path = ['input', 'idempotencyKey'];
  throw new ValidationError([{ path, message, inGraphQL: fault, code: 'INVALID' }], message);
}

function hashRequest({ request }: IdempotentWrite<unknown>): Buffer<ArrayBuffer> {
  return hash('sha256', canonicalJson(request), 'buffer');
}

/** JSON with sorted keys: two spellings of one request are the same. */
function canonicalJson(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (_, item: unknown) =>
        isRecord(item)
          ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
          : item,
      ) ?? ''
    );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ValidationError([
      { path: ['input'], message: 'is nested too deeply', code: 'TOO_DEEP' },
    ]);
  }
}
