/** The caller of a request with an API key. Identity comes only from here, never from a request body (F250). */
export interface Customer {
  customerId: string;
  domainId: number;
  /** Whether the domain takes writes; undefined: the database will tell. */
  isOpen?: boolean;
  /** Id of the key that was sent. */
  keyId: string;
}

/** The directory that sends a request with a SCIM token, and the one domain whose users it manages. */
export interface ScimClient {
  domainId: number;
  /** Whether the domain takes writes; undefined: the database will tell. */
  isOpen?: boolean;
  /** Id of the token that was sent. */
  tokenId: string;
}
