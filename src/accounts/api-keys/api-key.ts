/** What may be shown of an API key. */
export interface ApiKey {
  id: string;
  customerId: string;
  /** `ttk_` and the eight characters that name the key. */
  prefix: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

/** What is read of a key: everything but its hash. */
export const apiKeyColumns = {
  id: true,
  customerId: true,
  prefix: true,
  createdAt: true,
  expiresAt: true,
  revokedAt: true,
  lastUsedAt: true,
} as const;

/** A key with the prefix as it is shown. */
export function toApiKey(row: ApiKey): ApiKey {
  return { ...row, prefix: `ttk_${row.prefix}` };
}
