import { signedIn } from '../../auth/guards.ts';
import type { Context } from '../../core/context/context.ts';
import { relayPage } from '../../core/graphql/connections.ts';
import type { PageBelow, pagesBelow } from '../../core/lists/pages-below.ts';
import { pageFromConnectionArgs, type ConnectionArgs } from '../../core/lists/pagination.ts';

/** Resolves a connection of the rows below a row; of ten, because there are as many pages as rows above. */
export const pageBelow =
  <Row>(read: ReturnType<typeof pagesBelow<Row, PageBelow>>) =>
  ({ id }: { id: string }, args: ConnectionArgs, ctx: Context) =>
    relayPage(read(signedIn(ctx), { parent: id, page: pageFromConnectionArgs(args, 10) }));
