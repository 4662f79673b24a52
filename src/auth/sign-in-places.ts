import type { Clock, SignInAttempt } from '../core/context/context.ts';
import type { Database } from '../core/database/db.ts';
import { PLACE_DAYS } from '../core/context/forget-expired.ts';
import { isStorable } from '../core/text.ts';
import { hashToken, isToken } from './tokens.ts';

/** Places that are remembered of a user, the latest ones. */
const MOST_PLACES = 20;

/** What is known of somebody who tries to sign in: a session of this login was on their device, or began at their address. */
export interface Standing {
  device: boolean;
  place: boolean;
}

/** Where users signed in before. */
export interface SignInPlaces {
  find(who: SignInAttempt, network: string): Promise<Standing>;
  remember(userId: number, network: string): Promise<void>;
}

const FIND = `SELECT EXISTS (SELECT FROM session s WHERE s.user_id = u.id AND s.token_hash = $2),
    EXISTS (SELECT FROM sign_in_place p WHERE p.user_id = u.id AND p.network = $3 AND p.seen_at > $4)
  FROM "user" u WHERE u.login = $1`;

const REMEMBER = `WITH oldest AS (DELETE FROM sign_in_place WHERE user_id = $1 AND network IN
    (SELECT network FROM sign_in_place WHERE user_id = $1 AND network <> $2 ORDER BY seen_at DESC OFFSET ${MOST_PLACES - 1}))
  INSERT INTO sign_in_place (user_id, network, seen_at) VALUES ($1, $2, $3)
  ON CONFLICT (user_id, network) DO UPDATE SET seen_at = excluded.seen_at`;

/** Keeps in the database where users signed in, so that all gateways know, also after a restart. */
export function createSignInPlaces(db: Pick<Database, 'rows'>, clock: Clock): SignInPlaces {
  const digest = (text: string): Buffer => Buffer.from(hashToken(text));
  return {
    async find({ login, token }, network) {
      if (!isStorable(login)) return { device: false, place: false };
      const since = new Date(clock() - PLACE_DAYS * 86_400_000).toISOString();
      const [row] = await db.rows(FIND, [
        login,
        token !== undefined && isToken(token) ? digest(token) : null,
        digest(network),
        since,
      ]);
      return { device: row?.[0] === 't', place: row?.[1] === 't' };
    },
    async remember(userId, network) {
      await db.rows(REMEMBER, [userId, digest(network), new Date(clock()).toISOString()]);
    },
  };
}
