import { credentialDates, type CredentialDates } from '../credentials/credential-dates.ts';

/** What may be shown of an API key. */
export interface ApiKey extends CredentialDates {
  id: string;
  customerId: string;
  /** `ttk_` and the eight characters that name the key. */
  prefix: string;
}

/** What is read of a key: everything but its hash. */
export const apiKeyColumns = {
  id: true,
  customerId: true,
  prefix: true,
  ...credentialDates,
} as const;

/** A key with the prefix as it is shown. */
export function toApiKey(row: ApiKey): ApiKey {
  return { ...row, prefix: `ttk_${row.prefix}` };
}
