import { graphql, post, upload, type Answer } from './call.ts';
import { pause, query } from './fault.ts';
import { FEEDS, noise, type World } from './world.ts';

/** Writers that note what was acknowledged, through every kind of write there is, and compare it with the database afterwards. */
export class Writers {
  readonly answers: (Answer & { kind: string; at: number })[] = [];
  readonly #world: World;
  readonly #dataset: { datasetId: string; projectNode: string };
  readonly #url: () => string;
  #writing = true;
  #loops: Promise<void>[] = [];
  readonly #pinned: number[] = [];
  readonly #tasks = new Set<string>();
  readonly #images = new Set<string>();
  readonly #jobs = new Set<string>();
  #description = 0;
  #images1: Uint8Array<ArrayBuffer>[] = [];

  constructor(
    world: World,
    dataset: { datasetId: string; projectNode: string },
    url: () => string,
  ) {
    [this.#world, this.#dataset, this.#url] = [world, dataset, url];
  }

  /** With a rest of at least so many milliseconds after each write. */
  start(atLeast = 0): void {
    const loop = async (
      kind: string,
      write: () => Promise<Answer>,
      rest: number,
    ): Promise<void> => {
      while (this.#writing) {
        const answer = await write();
        this.answers.push({ ...answer, kind, at: performance.now() });
        await pause(answer.status === 200 || answer.status === 201 ? Math.max(rest, atLeast) : 50);
      }
    };
    this.#loops = [
      loop('state', () => this.#pin(), 2),
      loop('task', () => this.#task(), 2),
      loop('dataset', () => this.#describe(), 2),
      loop('upload', () => this.#upload(), 10),
      loop('job', () => this.#export(), 40),
    ];
  }

  async stop(): Promise<void> {
    this.#writing = false;
    await Promise.all(this.#loops);
  }

  get acknowledged(): number {
    return this.answers.filter(({ status }) => status === 200 || status === 201).length;
  }

  #user(): string {
    return this.#world.tokens[0] ?? '';
  }

  async #pin(): Promise<Answer> {
    const key = (this.#pinned.length % FEEDS) + 1;
    const user = Math.floor(this.#pinned.length / FEEDS) % 4;
    const id = Buffer.from(`Feed:${key}`).toString('base64');
    const answer = await graphql(
      this.#url(),
      this.#world.tokens[user] ?? '',
      'mutation ($id: ID!) { setFeedState(input: { feedIds: [$id], pinned: true }) { ... on SetFeedStatePayload { results { feed { pin } } } } }',
      { id },
    );
    if (answer.status === 200) this.#pinned.push(key + user * FEEDS);
    return answer;
  }

  /** A task whose answer did not come is sent again with its key until it is answered: it must be there once. */
  static #made = 0;
  readonly #number = Writers.#made++;
  #taskTurn = 0;
  #unanswered: string | undefined;
  async #task(): Promise<Answer> {
    const name = this.#unanswered ?? `task ${process.pid}-${this.#number} ${this.#taskTurn++}`;
    const answer = await post(
      this.#url(),
      '/api/task-tracker-external/tasks',
      '',
      { name, priority: 'LOW', assignedTo: 'user0' },
      { ...this.#world.customer, 'Idempotency-Key': name },
    );
    this.#unanswered = answer.status === 201 ? undefined : name;
    if (answer.status === 201) this.#tasks.add(name);
    return answer;
  }

  async #describe(): Promise<Answer> {
    const next = this.#description + 1;
    const answer = await post(this.#url(), '/api/Datasets/update', this.#user(), {
      datasetId: this.#dataset.datasetId,
      name: 'Set',
      description: String(next),
    });
    if (answer.status === 200) this.#description = next;
    return answer;
  }

  async #upload(): Promise<Answer> {
    const bytes = this.#images1.pop() ?? (await noise(64));
    const answer = await upload(this.#url(), this.#user(), this.#dataset.datasetId, bytes);
    if (answer.status === 200) this.#images.add(answer.json.data);
    return answer;
  }

  async #export(): Promise<Answer> {
    const answer = await graphql(
      this.#url(),
      this.#user(),
      'mutation ($id: ID!) { exportProject(input: { projectId: $id, filter: CONFIG_ONLY }) { ... on ExportProjectPayload { job { id } } } }',
      { id: this.#dataset.projectNode },
    );
    if (answer.status === 200)
      this.#jobs.add(
        Buffer.from(answer.json.data.exportProject.job.id, 'base64').toString().split(':')[1] ?? '',
      );
    return answer;
  }

  /** Acknowledged writes that are not in the database, and writes that are there by halves or twice. */
  async lost(databaseUrl: string): Promise<string[]> {
    const found: string[] = [];
    const all = async (sql: string, params: unknown[] = []): Promise<any[]> =>
      query(databaseUrl, sql, params);
    const pins = new Set(
      (
        await all(
          `SELECT s.feed_key, u.login FROM feed_user_state s JOIN "user" u ON u.id = s.user_id WHERE s.pinned`,
        )
      ).map((row) => Number(row.feed_key) + Number(String(row.login).slice(4)) * FEEDS),
    );
    for (const pin of this.#pinned) if (!pins.has(pin)) found.push(`pin ${pin}`);
    const tasks = new Map(
      (await all('SELECT name, count(*)::int AS times FROM external_task GROUP BY name')).map(
        (row) => [row.name as string, row.times as number],
      ),
    );
    for (const name of this.#tasks)
      if (tasks.get(name) !== 1) found.push(`${name} is there ${tasks.get(name) ?? 0} times`);
    const [row] = await all('SELECT description FROM dataset WHERE id = $1', [
      this.#dataset.datasetId,
    ]);
    const stored = Number(row.description);
    if (stored !== this.#description && stored !== this.#description + 1)
      found.push(`description is ${stored}, acknowledged ${this.#description}`);
    const images = new Set((await all('SELECT id FROM image')).map(({ id }) => id as string));
    for (const id of this.#images) if (!images.has(id)) found.push(`image ${id}`);
    const jobs = new Set((await all('SELECT id FROM export_job')).map(({ id }) => id as string));
    for (const id of this.#jobs) if (!jobs.has(id)) found.push(`job ${id}`);
    const halves = await all(
      `SELECT t.name FROM external_task t WHERE NOT EXISTS (SELECT FROM feed f WHERE f.feed_key = t.feed_key) OR NOT EXISTS (SELECT FROM feed_listing l WHERE l.feed_key = t.feed_key)
         OR NOT EXISTS (SELECT FROM change_log c WHERE c.feed_key = t.feed_key)`,
    );
    for (const { name } of halves) found.push(`half of ${name}`);
    return found;
  }
}
