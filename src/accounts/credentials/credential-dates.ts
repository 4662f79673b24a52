import { ValidationError } from '../../core/errors.ts';

/** What became of an API key or a SCIM token, and when. */
export interface CredentialDates {
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

/** The columns that have it. */
export const credentialDates = {
  createdAt: true,
  expiresAt: true,
  revokedAt: true,
  lastUsedAt: true,
} as const;

/** The condition that one is of use now. */
export const liveAt = (now: Date) => ({
  revokedAt: null,
  OR: [{ expiresAt: null }, { expiresAt: { gt: now } }],
});

/** Refuses one that would be out of date when it is made. Throws ValidationError. */
export function requireFuture(expiresAt: Date | null, now: Date): void {
  if (expiresAt && expiresAt <= now)
    throw refusal('expiresAt', 'must be in the future', 'EXPIRY_IN_PAST');
}

/** Why a credential is not made: the message names the field as the command line does, too. */
export function refusal(field: string, message: string, code: string): ValidationError {
  return new ValidationError([{ path: ['input', field], message, code }], `${field} ${message}`);
}

/** The dates as plain JSON, with the state that it is in now. */
export function describeDates(dates: CredentialDates, now: Date) {
  const { createdAt, expiresAt, revokedAt, lastUsedAt } = dates;
  return {
    state: revokedAt ? 'revoked' : expiresAt && expiresAt <= now ? 'expired' : 'live',
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
