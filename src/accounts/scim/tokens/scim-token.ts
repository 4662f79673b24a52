import { credentialDates, type CredentialDates } from '../../credentials/credential-dates.ts';

/** What may be shown of a SCIM token. */
export interface ScimToken extends CredentialDates {
  id: string;
  /** `tsc_` and the eight characters that name the token. */
  prefix: string;
  /** The domain whose users it manages. */
  domainId: number;
}

/** What is read of a token: everything but its hash. */
export const scimTokenColumns = {
  id: true,
  prefix: true,
  domainId: true,
  ...credentialDates,
} as const;

/** A token with the prefix as it is shown. */
export function toScimToken(row: ScimToken): ScimToken {
  return { ...row, prefix: `tsc_${row.prefix}` };
}
