import type { ChangeFollower } from './change-follower.ts';
import type { Config } from './config.ts';
import type { Customer } from './customer.ts';
import type { Database } from '../database/db.ts';
import type { ImageEngine } from './imaging.ts';
import type { JsonFragments } from '../json/json.ts';
import type { KeptBodies } from './kept-bodies.ts';
import type { Log } from '../log.ts';
import type { Reads, Replica } from '../database/replica.ts';
import type { Signal } from '../signal.ts';
import type { BlobStore } from './storage.ts';
import type { Telemetry, Trace } from './telemetry.ts';
import type { Viewer } from './viewer.ts';

/** The current time in epoch milliseconds; fixed in tests. */
export type Clock = () => number;

/** Who tries to sign in, and from where. */
export interface SignInAttempt {
  login: string;
  address: string;
  /** A session token that came with the attempt: of a session of this login, however long ended, it tells the device. */
  token: string | undefined;
}

/** Slows the guessing of passwords: failures are counted per login and address, per login, and per address. Those of others don't lock a user out where they signed in before. */
export interface SignInThrottle {
  /** Runs an attempt, whose outcome of undefined is a failure. Throws E902 with Retry-After while too many failures are on record or attempts under way. */
  attempt<T extends { id: number }>(
    who: SignInAttempt,
    tryIt: () => Promise<T | undefined>,
  ): Promise<T | undefined>;
}

/** Slows the guessing of encryption keys. */
export interface KeyCheckThrottle {
  /** Counts one check of a user and workspace. Throws E902 with Retry-After when there were too many. */
  take(userId: number, workspaceId: string): Promise<void>;
  /** Forgets them: whoever has the key needn't guess it. */
  forget(userId: number, workspaceId: string): Promise<void>;
}

/** Bounds how often one session or API key may call (D-80), and what anybody may ask for from one address. */
export interface CallLimits {
  /** Counts one call and returns the headers that tell what is left. Throws E902 with Retry-After when nothing is. */
  take(caller: {
    viewer: Viewer | null;
    customer: Customer | null;
  }): Promise<Record<string, string>>;
  /** The same for what needs no session. */
  takeFrom(remoteAddress: string): Promise<Record<string, string>>;
  /** The same for a calendar subscription: a calendar program asks every few minutes. */
  takeCalendar(subscription: string): Promise<Record<string, string>>;
}

/** One call of the REST surface, by names that the gateway knows. */
export interface UsageNote {
  /** Null without a session or an API key. */
  domainId: number | null;
  method: string;
  /** As the route table writes it. */
  path: string;
  client: string;
  /** As the route table writes them, each once. */
  parameters: readonly string[];
}

/** Counts which paths, parameters and clients of the REST surface are still used: names, never values (F267). */
export interface UsageRecorder {
  /** Counts a call in memory. */
  note(call: UsageNote): void;
  /** Counts parameters that came with the body of a call that was noted. */
  noteParameters(call: UsageNote): void;
  /** Writes what was counted since the last time. What can't be written now is kept. */
  flush(): Promise<void>;
}

/** Capabilities that live as long as the process. */
export interface Services {
  readonly config: Config;
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly signInThrottle: SignInThrottle;
  readonly keyCheckThrottle: KeyCheckThrottle;
  readonly storage: BlobStore;
  readonly imaging: ImageEngine;
  /** Runs a job after the request, one after the other. The job reports its own failure. */
  background(job: () => Promise<void>): void;
  readonly callLimits: CallLimits;
  readonly keptBodies: KeptBodies;
  readonly usage: UsageRecorder;
  readonly changes: ChangeFollower;
  /** Lists and counts are read here: on the primary, unless a request that only reads was given the replica. */
  readonly reads: Reads;
  readonly replica: Replica | undefined;
  readonly telemetry: Telemetry;
  /** False only in tests: all is then done as without the fast lane (docs/fast-lane.md). */
  readonly fastLane: boolean;
}

/** What an operation is given: capabilities and who is asking. Made anew for each request, and complete before any operation has it. */
export interface Context extends Services {
  /** Null without a valid session. */
  readonly viewer: Viewer | null;
  /** Set while `viewer` is only recalled: who it is. What does more than read awaits it. */
  readonly identified?: Promise<Viewer | null> | undefined;
  /** Null without a valid API key; asked for on the paths of the task tracker and on GraphQL. */
  readonly customer: Customer | null;
  readonly requestId: string;
  /** What telemetry notes of this request. */
  readonly trace: Trace;
  /** Address of the client, for rate limits; behind trusted proxies the one that they name. */
  readonly remoteAddress: string;
  /** The session token that came, whatever it is worth. */
  readonly token?: string | undefined;
  /** Aborted when nobody waits for the answer any more: what only reads may stop. */
  readonly signal?: Signal | undefined;
  /** Takes parts of the answer that are pre-serialised, where the transport can put them into it. */
  readonly fragments?: JsonFragments | undefined;
  /** Scheme, host and BASE_PATH under which the client reached us, for links. */
  readonly baseUrl: string;
}

/** What an operation is given that is for nobody without a session: see signedIn of auth/guards. */
export interface SignedInContext extends Context {
  readonly viewer: Viewer;
}

/** Makes a getter of something that is built at most once for each request, such as a dataloader. */
export function perRequest<T, Ctx extends Context = Context>(
  build: (ctx: Ctx) => T,
): (ctx: Ctx) => T {
  const built = new WeakMap<Context, { value: T }>();
  return (ctx) => {
    let entry = built.get(ctx);
    if (!entry) built.set(ctx, (entry = { value: build(ctx) }));
    return entry.value;
  };
}
