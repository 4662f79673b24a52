import { graphql } from './call.ts';
import { pause } from './fault.ts';

const POLL = `query ($after: ChangeCursor) { viewer { feedChanges(after: $after) {
  edges { node { __typename ... on FeedUpserted { feed { feedKey } } ... on ResyncRequired { reason } } } endCursor hasMore } } }`;
const STREAM = `subscription ($after: ChangeCursor) { feedChanged(after: $after) {
  __typename ... on FeedUpserted { cursor feed { feedKey } } ... on ResyncRequired { reason } } }`;

/** A client that polls for changes and one that has them streamed; both go on from their last cursor, at the one gateway or the other. */
export class Follower {
  readonly polled = new Set<number>();
  readonly streamed = new Set<number>();
  /** Why they were told to load everything again. */
  readonly gaps: string[] = [];
  readonly #urls: readonly string[];
  readonly #token: string;
  readonly #ended = new AbortController();

  constructor(urls: readonly string[], token: string) {
    [this.#urls, this.#token] = [urls, token];
  }

  /** Resolves when the stream is open. */
  async start(): Promise<void> {
    void this.#poll();
    await new Promise<void>((resolve) => void this.#follow(resolve));
  }

  stop(): void {
    this.#ended.abort();
  }

  async #poll(): Promise<void> {
    let after: string | null = null;
    for (let turn = 0; !this.#ended.signal.aborted; turn++) {
      const url = this.#urls[turn % this.#urls.length] ?? '';
      const answer = await graphql(url, this.#token, POLL, { after });
      if (answer.status === 200) {
        const { edges, endCursor } = answer.json.data.viewer.feedChanges;
        for (const { node } of edges) this.#take(node, this.polled);
        after = endCursor ?? after;
      }
      await pause(200);
    }
  }

  async #follow(opened: () => void): Promise<void> {
    let after: string | null = null;
    const { signal } = this.#ended;
    for (let turn = 0; !signal.aborted; turn++) {
      try {
        const reply = await fetch(`${this.#urls[turn % this.#urls.length] ?? ''}/graphql`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'text/event-stream',
            'x-service-csrf-token-x': this.#token,
          },
          body: JSON.stringify({ query: STREAM, variables: { after } }),
          signal,
        });
        opened();
        let text = '';
        for await (const chunk of reply.body ?? []) {
          text += Buffer.from(chunk).toString();
          const events = text.split('\n\n');
          text = events.pop() ?? '';
          for (const event of events) {
            const [, data] = /^data: (.*feedChanged.*)$/m.exec(event) ?? [];
            const node = data === undefined ? undefined : JSON.parse(data).data?.feedChanged;
            if (!node) continue;
            this.#take(node, this.streamed);
            after = node.cursor ?? after;
          }
        }
      } catch {
        // The connection ended: the next one goes on from the cursor.
      }
      await pause(200);
    }
  }

  #take(node: any, into: Set<number>): void {
    if (node.__typename === 'FeedUpserted') into.add(Number(node.feed.feedKey));
    if (node.__typename === 'ResyncRequired') this.gaps.push(node.reason);
  }
}
