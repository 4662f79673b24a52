import type { RequestOptions, TypedDocument } from './send-documents.ts';

interface PageInfo {
  hasNextPage?: boolean;
  endCursor?: string | null;
  hasPreviousPage?: boolean;
  startCursor?: string | null;
}

/** What paging forward needs of a connection. */
export interface ConnectionPage {
  pageInfo: PageInfo & { hasNextPage: boolean };
}

/** What paging backward needs of a connection. */
export interface ConnectionPageBack {
  pageInfo: PageInfo & { hasPreviousPage: boolean };
}

export interface Paging {
  /** The pages of a connection, forward from `variables.after`; a page is read when it is asked for. The document passes `$after` to the connection that `select` finds. */
  pages<
    Result,
    Variables extends { after?: string | null | undefined },
    Page extends ConnectionPage,
  >(
    document: TypedDocument<Result, Variables>,
    variables: Variables,
    select: (result: Result) => Page | null | undefined,
    options?: RequestOptions,
  ): AsyncGenerator<Page, void>;
  /** The pages of a connection, backward from `variables.before` (the end, without it); each page in the order of the list. The document passes `$before` and `$last`. */
  pagesBack<
    Result,
    Variables extends { before?: string | null | undefined },
    Page extends ConnectionPageBack,
  >(
    document: TypedDocument<Result, Variables>,
    variables: Variables,
    select: (result: Result) => Page | null | undefined,
    options?: RequestOptions,
  ): AsyncGenerator<Page, void>;
}

type Request = <Result, Variables>(
  document: TypedDocument<Result, Variables>,
  variables: Variables,
  options?: RequestOptions,
) => Promise<Result>;

/** Makes what walks through connections. */
export function createPaging(request: Request): Paging {
  return {
    async *pages(document, variables, select, options) {
      for (let after = variables.after; ;) {
        const page = select(await request(document, { ...variables, after }, options));
        if (!page) return;
        yield page;
        if (!page.pageInfo.hasNextPage || !page.pageInfo.endCursor) return;
        after = page.pageInfo.endCursor;
      }
    },
    async *pagesBack(document, variables, select, options) {
      for (let before = variables.before; ;) {
        const page = select(await request(document, { ...variables, before }, options));
        if (!page) return;
        yield page;
        if (!page.pageInfo.hasPreviousPage || !page.pageInfo.startCursor) return;
        before = page.pageInfo.startCursor;
      }
    },
  };
}
