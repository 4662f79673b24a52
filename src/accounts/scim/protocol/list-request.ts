/** What a list is asked for. */
export interface ListRequest {
  filter?: string | undefined;
  /** Of the first resource, from 1. */
  startIndex: number;
  count: number;
}

/** A page, and how many resources there are. */
export interface Listed<Row> {
  total: number;
  rows: Row[];
}
