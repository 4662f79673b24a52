/** Who administers the users of a domain: a user of it, or an operator on the command line. */
export interface Administrator {
  domainId: number;
}
