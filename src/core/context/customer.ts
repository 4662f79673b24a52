/** Who calls with an API key. Everything about identity comes from here, never from a request body (F250). */
export interface Customer {
  customerId: string;
  domainId: number;
  /** Of the key that was sent. */
  keyId: string;
}
