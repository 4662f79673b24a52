import { createClient } from '../../src/client/create-client.ts';
import { call, graphql, post, type Answer } from '../faults/call.ts';
import { pause, until } from '../faults/fault.ts';

/** A request and when it was answered. */
interface Sent {
  kind: string;
  status: number;
  ms: number;
  at: number;
}

interface Changed {
  __typename: 'FeedUpserted' | 'FeedRemoved' | 'FeedStreamEnded' | 'ResyncRequired';
  cursor?: string;
  feed?: { feedTitle: string };
}

/** How many streams there are. */
export const STREAMS = 4;
const PIN =
  'mutation ($id: ID!, $pinned: Boolean) { setFeedState(input: { feedIds: [$id], pinned: $pinned }) { ... on SetFeedStatePayload { results { feed { pin } } } } }';
const FOLLOW =
  'subscription ($after: ChangeCursor) { feedChanged(after: $after) { __typename ... on FeedUpserted { cursor feed { feedTitle } } ... on FeedRemoved { cursor } ... on FeedStreamEnded { cursor } } }';

/** Readers, writers and streams of two users, who come without a break; what they are answered is noted. */
export class Traffic {
  readonly sent: Sent[] = [];
  readonly tasks = new Set<string>();
  /** The last state of each pin that was acknowledged, by feed. */
  readonly pins = new Map<number, boolean>();
  /** Connections that streams made; more than one each means that they resumed. */
  connections = 0;
  readonly #seen = Array.from({ length: STREAMS }, () => new Set<string>());
  readonly #streams = new AbortController();
  #loops: Promise<void>[] = [];
  #following: Promise<void>[] = [];
  #on = true;

  readonly url: string;
  readonly world: { tokens: string[]; customer: Record<string, string>; feeds: number };

  constructor(url: string, world: Traffic['world']) {
    [this.url, this.world] = [url, world];
  }

  /** Begins; resolves when every stream is open. */
  async start(): Promise<void> {
    const [token = ''] = this.world.tokens;
    const page = await graphql(this.url, token, '{ viewer { feeds(first: 1) { changeCursor } } }');
    const after: string = page.json.data.viewer.feeds.changeCursor;
    for (const seen of this.#seen) this.#following.push(this.#follow(token, after, seen));
    for (let n = 0; n < 4; n++) {
      this.#loop('task', (turn) => this.#task(`task ${n} ${turn}`));
      this.#loop('pin', (turn) => this.#pin(n, turn));
      this.#loop('list', () => call(this.url, '/task/v1/feeds/list?limit=20', token));
      this.#loop('graphql', () =>
        graphql(
          this.url,
          token,
          '{ viewer { feeds(first: 20) { totalCount nodes { feedKey feedTitle status } } } }',
        ),
      );
    }
    await until(() => this.connections >= STREAMS && this.tasks.size > 0, 30_000);
  }

  /** Stops writing, waits until every stream has seen every task, and returns what some stream did not see. */
  async stop(): Promise<string[]> {
    this.#on = false;
    await Promise.all(this.#loops);
    const missed = (): string[] =>
      [...this.tasks].filter((name) => this.#seen.some((seen) => !seen.has(name)));
    await until(() => missed().length === 0, 30_000);
    this.#streams.abort();
    await Promise.all(this.#following);
    return missed();
  }

  #loop(kind: string, send: (turn: number) => Promise<Answer>): void {
    const run = async (): Promise<void> => {
      for (let turn = 0; this.#on; turn++) {
        const { status, ms } = await send(turn);
        this.sent.push({ kind, status, ms, at: performance.now() });
        await pause(20);
      }
    };
    this.#loops.push(run());
  }

  /** Without a key: a task that is sent twice would be there twice. */
  async #task(name: string): Promise<Answer> {
    const body = { name, priority: 'LOW', assignedTo: 'user0' };
    const path = '/api/task-tracker-external/tasks';
    const answer = await post(this.url, path, '', body, this.world.customer);
    if (answer.status === 201) this.tasks.add(name);
    return answer;
  }

  async #pin(lane: number, turn: number): Promise<Answer> {
    const key = 1 + lane + 4 * (turn % Math.floor(this.world.feeds / 4));
    const pinned = Math.floor((4 * turn) / this.world.feeds) % 2 === 0;
    const id = Buffer.from(`Feed:${key}`).toString('base64');
    const answer = await graphql(this.url, this.world.tokens[1] ?? '', PIN, { id, pinned });
    if (answer.status === 200) this.pins.set(key, pinned);
    return answer;
  }

  async #follow(token: string, after: string, seen: Set<string>): Promise<void> {
    const { signal } = this.#streams;
    const client = createClient({
      url: `${this.url}/graphql`,
      token,
      fetch: (...args) => {
        this.connections++;
        return fetch(...args);
      },
    });
    const select = ({ feedChanged }: { feedChanged: Changed }): Changed => feedChanged;
    try {
      for await (const event of client.follow(FOLLOW, { after }, select, { signal }))
        if (event.feed) seen.add(event.feed.feedTitle);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}
