import type { Clock } from '../core/context/context.ts';
import type { SignInAttempt } from '../core/context/throttles.ts';
import type { Database } from '../core/database/db.ts';
import { PLACE_DAYS } from '../core/context/forget-expired.ts';
import { isStorable } from '../core/text.ts';
import { rememberPlace, standingOf } from './identify.sql.ts';
import { hashToken, isToken } from './tokens.ts';

/**
 * What is known about a sign-in attempt: whether the device once had a session of this login, and whether one began at
 * the address.
 */
export interface Standing {
  device: boolean;
  place: boolean;
}

/** Where users signed in before. */
export interface SignInPlaces {
  find(who: SignInAttempt, network: string): Promise<Standing>;
  remember(userId: number, network: string): Promise<void>;
}

/** Stores in the database where users signed in, so that all gateways know it, also after a restart. */
export function createSignInPlaces(db: Pick<Database, 'rows'>, clock: Clock): SignInPlaces {
  const digest = (text: string): Buffer => Buffer.from(hashToken(text));
  return {
    async find({ login, token }, network) {
      if (!isStorable(login)) return { device: false, place: false };
      const known = await standingOf.first(db, {
        login,
        tokenHash: token !== undefined && isToken(token) ? digest(token) : null,
        network: digest(network),
        since: new Date(clock() - PLACE_DAYS * 86_400_000),
      });
      return known ?? { device: false, place: false };
    },
    async remember(userId, network) {
      await rememberPlace.rows(db, { userId, network: digest(network), seenAt: new Date(clock()) });
    },
  };
}
