import type { RequestOptions, TypedDocument } from './send-documents.ts';

interface PageInfo {
  hasNextPage?: boolean;
  endCursor?: string | null;
  hasPreviousPage?: boolean;
  startCursor?: string | null;
}

/** The members of a connection that paging forward needs. */
export interface ConnectionPage {
  pageInfo: PageInfo & { hasNextPage: boolean };
}

/** The members of a connection that paging backward needs. */
export interface ConnectionPageBack {
  pageInfo: PageInfo & { hasPreviousPage: boolean };
}

export interface Paging {
  /**
   * The pages of a connection, forward from `variables.after`; a page is read only when it is requested. The document
   * passes `$after` to the connection that `select` finds.
   */
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
  /**
   * The pages of a connection, backward from `variables.before` (by default from the end); each page is in list order.
   * The document passes `$before` and `$last`.
   */
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

/** Makes the functions that page through connections. */
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
