import type { Customer, ScimClient } from './customer.ts';
import type { Viewer } from './viewer.ts';

/** An attempt to sign in. */
export interface SignInAttempt {
  login: string;
  address: string;
  /**
   * A session token sent with the attempt. A token of a session of this login, even one that ended long ago, identifies
   * the device.
   */
  token: string | undefined;
}

/**
 * Slows down password guessing: failures are counted per login and address, per login, and per address. Failures of
 * others don't lock a user out where they signed in before.
 */
export interface SignInThrottle {
  /**
   * Runs an attempt; the outcome undefined counts as a failure. Throws E902 with Retry-After while there are too many
   * failures or running attempts.
   */
  attempt<T extends { id: number }>(
    who: SignInAttempt,
    tryIt: () => Promise<T | undefined>,
  ): Promise<T | undefined>;
}

/** Slows down the guessing of encryption keys. */
export interface KeyCheckThrottle {
  /** Counts one check by a user of a workspace's key. Throws E902 with Retry-After after too many. */
  take(userId: number, workspaceId: string): Promise<void>;
  /** Resets the count: whoever has the key need not guess it. */
  forget(userId: number, workspaceId: string): Promise<void>;
}

/** Limits how often a session, an API key or a SCIM token may call (D-80), and how much may be requested from one address. */
export interface CallLimits {
  /** Counts one call and returns headers with what is left. Throws E902 with Retry-After when nothing is. */
  take(caller: {
    viewer: Viewer | null;
    customer: Customer | null;
    scim?: ScimClient | undefined;
  }): Promise<Record<string, string>>;
  /**
   * The same per address, for requests that need no session: one counter for translations, one for calendars, one for
   * sign-ins of any kind, and changes of passwords, which cost as much.
   */
  takeFrom(
    remoteAddress: string,
    counter: 'translations' | 'calendars' | 'signIns',
  ): Promise<Record<string, string>>;
  /** The same per calendar subscription: calendar programs ask every few minutes. */
  takeCalendar(subscription: string): Promise<Record<string, string>>;
}
