import { startApp, type TestApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';

/** A gateway with the feeds 1 to 8 of ana, all in progress, in this order. */
export async function startGateway(): Promise<
  TestApp & { graphql: string; touch(feedKey: number): Promise<unknown> }
> {
  const app = await startApp();
  await app.load([
    ...organisation,
    ...Array.from({ length: 8 }, (_, index) => feed(index + 1, { status: 'P' })),
  ]);
  return {
    ...app,
    graphql: `${app.url}/graphql`,
    /** Somebody else changes a feed. */
    touch: (feedKey) =>
      app.services.db.pool.query(
        "UPDATE feed SET status = 'R', version = version + 1 WHERE feed_key = $1",
        [feedKey],
      ),
  };
}
