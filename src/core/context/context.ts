import type { ServerResponse } from 'node:http';
import type { Act } from './act.ts';
import type { AuditEntry } from './write-audit-log.ts';
import type { ChangeFollower } from './change-follower.ts';
import type { Config } from './config.ts';
import type { Customer, ScimClient } from './customer.ts';
import type { Database } from '../database/db.ts';
import type { ImageEngine } from './imaging.ts';
import type { JsonFragments } from '../json/json.ts';
import type { KeptBodies } from './kept-bodies.ts';
import type { Log } from '../log.ts';
import type { OidcProvider } from '../oidc/oidc-provider.ts';
import type { Reads } from '../database/replicas/reads.ts';
import type { Replicas } from '../database/replicas/replicas.ts';
import type { Signal } from '../signal.ts';
import type { StepFollower } from '../migrations/follow-steps.ts';
import type { BlobStore } from './storage.ts';
import type { Telemetry, Trace } from './telemetry.ts';
import type { Viewer } from './viewer.ts';
import type { DomainTurns } from '../turns/domain-turns.ts';
import type { CallLimits, KeyCheckThrottle, SignInThrottle } from './throttles.ts';

/** The current time in epoch milliseconds; fixed in tests. */
export type Clock = () => number;

/** One call of the REST surface; all names come from the route table. */
export interface UsageNote {
  /** Null for calls without a session or an API key. */
  domainId: number | null;
  method: string;
  /** As the route table writes it. */
  path: string;
  client: string;
  /** As the route table writes them, each only once. */
  parameters: readonly string[];
}

/** Counts which paths, parameters and clients of the REST surface are still used: names, never values (F267). */
export interface UsageRecorder {
  /** Counts a call, in memory. */
  note(call: UsageNote): void;
  /** Counts the parameters in the body of a call that was already counted. */
  noteParameters(call: UsageNote): void;
  /** Writes the counts since the last time to the database. Counts that can't be written now are kept. */
  flush(): Promise<void>;
}

/** Entries of the audit log for what was refused: a client that is refused again and again does not fill the database. */
export interface RefusalRecorder {
  /** Writes an entry, or counts one more of the same. */
  refused(entry: AuditEntry): Promise<void>;
  /** Waits for entries that are being written, and writes the counts since the last time. */
  flush(): Promise<void>;
}

/** Capabilities that live as long as the process: created once, in server/services.ts. */
export interface Services {
  readonly config: Config;
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly signInThrottle: SignInThrottle;
  readonly keyCheckThrottle: KeyCheckThrottle;
  readonly storage: BlobStore;
  readonly imaging: ImageEngine;
  /** Runs jobs after the request, one after the other. A job reports its own failure. */
  background(job: () => Promise<void>): void;
  readonly callLimits: CallLimits;
  readonly turns: DomainTurns;
  /** The OpenID providers whose tokens are accepted; usually none or one. */
  readonly oidc: readonly OidcProvider[];
  readonly keptBodies: KeptBodies;
  readonly usage: UsageRecorder;
  readonly audit: RefusalRecorder;
  readonly changes: ChangeFollower;
  /** Reads of lists and counts: on the primary, unless a request that only reads was given a replica. */
  readonly reads: Reads;
  readonly replicas: Replicas | undefined;
  /** What migrations still do while gateways serve. */
  readonly steps: StepFollower;
  readonly telemetry: Telemetry;
  /** False only in tests: everything is then done without the fast lane (docs/fast-lane.md). */
  readonly fastLane: boolean;
}

/**
 * Passed to every operation: capabilities and the caller. Created for each request, and complete before any operation
 * gets it. Between the mutations of one document, its caller may change: see auth/guards.ts.
 */
export interface Context extends Services {
  /** Null without a valid session. */
  readonly viewer: Viewer | null;
  /**
   * Set while `viewer` comes from the cache: resolves to the checked one. Anything that does more than read awaits it.
   */
  readonly identified?: Promise<Viewer | null> | undefined;
  /** Null without a valid API key; only identified on the paths of the task tracker and for GraphQL. */
  readonly customer: Customer | null;
  /** Only on the paths of SCIM, with a valid token. */
  readonly scim?: ScimClient | undefined;
  readonly requestId: string;
  /** Data about this request for telemetry. */
  readonly trace: Trace;
  /** Address of the client, for rate limits; behind trusted proxies, the address that they report. */
  readonly remoteAddress: string;
  /** Set while the request writes. */
  readonly act?: Act | undefined;
  /** The session token that was sent, valid or not; after GraphQL's signIn that of the new session. */
  readonly token?: string | undefined;
  /** Aborted when nobody waits for the reply any more: reads may then stop. */
  readonly signal?: Signal | undefined;
  /** Collects pre-serialised parts of the reply, where the transport supports them. */
  readonly fragments?: JsonFragments | undefined;
  /** The reply, if the request came over HTTP: a subscription may have to cut its connection. */
  readonly res?: ServerResponse | undefined;
  /** Scheme, host and BASE_PATH under which the client reached the gateway, for links. */
  readonly baseUrl: string;
}

/** The context of an operation that requires a session: see signedIn of auth/guards.ts. */
export interface SignedInContext extends Context {
  readonly viewer: Viewer;
}

/** Where a context keeps what was made for its request. */
const MADE = Symbol('made per request');

/**
 * Makes a getter for something that is created at most once per request, such as a dataloader. The context itself keeps it,
 * and no copy of the context. A WeakMap would keep it, and with it the request, until the next full garbage collection.
 */
export function perRequest<T, Ctx extends Context = Context>(
  build: (ctx: Ctx) => T,
): (ctx: Ctx) => T {
  const key = Symbol('per request');
  return (ctx) => {
    const kept: Ctx & { [MADE]?: { [key]?: { value: T } } } = ctx;
    const made = kept[MADE] ?? keep<{ [key]?: { value: T } }>(ctx, {});
    made[key] ??= { value: build(ctx) };
    return made[key].value;
  };
}

/** Forgets what was made for the request, and so all that it has read: the next of its mutations reads anew. */
export function forgetRequest(ctx: Context): void {
  keep(ctx, {});
}

function keep<Made extends object>(kept: Context, made: Made): Made {
  // Not enumerable, so that copies are without it.
  Object.defineProperty(kept, MADE, { value: made, configurable: true });
  return made;
}
