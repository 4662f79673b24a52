import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { MemoryFS, PGlite } from '@electric-sql/pglite';
import { extract } from 'tar-stream';
import { PLAN_SETTINGS } from '../../src/core/sql/session-settings.ts';
import { EmbeddedState, type FileSystem, KeptContents, type MemoryNode } from './embedded-state.ts';

interface Template {
  folders: string[];
  /** Where each file is in `bytes`. */
  files: { path: string; start: number; end: number }[];
  /** Of all files. Copies read it, and never write to it. */
  bytes: Uint8Array;
}

/** A database in memory, and how it was when it was new. */
interface Copy {
  pglite: PGlite;
  state: EmbeddedState;
}

/** Where PGlite looks for its database. */
const DATA = '/pglite/data';

/** PGlite's own defaults want eight times as much memory, which is zeroed for each database. And what only serves a data folder after a crash is left out: it would be half of what is written. */
const SMALL = [
  'shared_buffers=16MB',
  'full_page_writes=off',
  'wal_init_zero=off',
  ...PLAN_SETTINGS,
];

/**
 * Lets the session load what it needs of each table and of the functions of triggers, so that no copy has to. It leaves
 * nothing in the tables. It also loads the library of the language of triggers: what PGlite loads later can't be put back.
 */
const WARM_UP = `
  DO $$ DECLARE t text; BEGIN
    FOR t IN SELECT c.oid::regclass::text FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' LOOP
      EXECUTE 'EXPLAIN INSERT INTO ' || t || ' DEFAULT VALUES';
      EXECUTE 'EXPLAIN SELECT * FROM ' || t || ' WHERE ctid IS NULL';
      EXECUTE 'EXPLAIN DELETE FROM ' || t || ' WHERE ctid IS NULL';
    END LOOP;
  END $$;
  SELECT feed_listing_refresh('{}'), feed_task_count_refresh('{}'), feed_count_fold(1)`;

/** Compiled once for a worker, and kept: what V8 has optimised of it serves the next database too, also one in a thread. */
const program = WebAssembly.compile(
  readFileSync(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'))),
);

/** A worker reads the template once. */
let template: Promise<Template> | undefined;

/** Copies that nobody uses, as they were when they were new: making one takes 0.1 s, putting one back a tenth of that. */
const unused: Copy[] = [];

/** More are rarely open at once. */
const MOST_UNUSED = 2;

/** A database in memory, as the template has it. A worker has one template. Closed, it serves the next who asks. */
export async function openEmbeddedCopy(file: string): Promise<PGlite> {
  const copy = unused.pop() ?? (await makeCopy(await (template ??= readTemplate(file))));
  return lend(copy.pglite, async () => {
    if (unused.length < MOST_UNUSED && copy.state.restore()) unused.push(copy);
    else await copy.pglite.close();
  });
}

async function makeCopy(from: Template): Promise<Copy> {
  const kept = new KeptContents();
  const fs = new FilledFS(from, kept);
  const pglite = await PGlite.create({
    pgliteWasmModule: await program,
    fs,
    startParams: [...PGlite.defaultStartParams, ...SMALL.flatMap((setting) => ['-c', setting])],
  });
  await pglite.exec(WARM_UP);
  return { pglite, state: new EmbeddedState(pglite, kept, fs.endOfMemory) };
}

/** The same database for one borrower: once closed it is no longer theirs. */
function lend(pglite: PGlite, giveBack: () => Promise<void>): PGlite {
  let closed: Promise<void> | undefined;
  const running = new Set<unknown>();
  const close = (): Promise<void> =>
    (closed ??= Promise.allSettled(running).then(() => giveBack()));
  return new Proxy(pglite, {
    get(target, name) {
      if (name === 'close') return close;
      if (name === 'closed') return closed !== undefined;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (closed) throw new Error('this copy of the database is closed');
        const result: unknown = Reflect.apply(value, target, args);
        if (result instanceof Promise) {
          running.add(result);
          const end = (): boolean => running.delete(result);
          result.then(end, end);
        }
        return result;
      };
    },
  });
}

async function readTemplate(file: string): Promise<Template> {
  const archive = Readable.from([gunzipSync(readFileSync(file))]).pipe(extract());
  const [folders, files, chunks]: [string[], Template['files'], Buffer[]] = [[], [], []];
  let end = 0;
  for await (const entry of archive) {
    const path = DATA + entry.header.name;
    if (entry.header.type === 'directory') folders.push(path);
    const start = end;
    for await (const chunk of entry as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      end += chunk.length;
    }
    if (entry.header.type === 'file') files.push({ path, start, end });
  }
  // In memory of its own, unlike a small buffer.
  return { folders, files, bytes: new Uint8Array(Buffer.concat(chunks)) };
}

const FILE = 0o100666;

type Instantiate = (
  imports: WebAssembly.Imports,
  use: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
) => object;

/** A file system in memory that begins with the files of a template, each of which is copied when it is first written to. */
class FilledFS extends MemoryFS {
  readonly #template: Template;
  readonly #kept: KeptContents;

  constructor(from: Template, kept: KeptContents) {
    super();
    this.#template = from;
    this.#kept = kept;
  }

  /** Where the memory that the program has taken so far ends. */
  endOfMemory = (): number => 0;

  override async init(
    ...[pglite, options]: Parameters<MemoryFS['init']>
  ): ReturnType<MemoryFS['init']> {
    const { instantiateWasm } = options as { instantiateWasm: Instantiate };
    const instantiate: Instantiate = (imports, use) =>
      instantiateWasm(imports, (instance, module) => {
        const end = instance.exports['emscripten_get_sbrk_ptr'] as () => number;
        this.endOfMemory = () => new DataView(pglite.Module.HEAPU8.buffer).getUint32(end(), true);
        use(instance, module);
      });
    return super.init(pglite, { ...options, instantiateWasm: instantiate });
  }

  override initialSyncFs(): Promise<void> {
    const FS = this.pg?.Module.FS as unknown as FileSystem | undefined;
    if (!FS) throw new Error('PGlite has not made its file system');
    const { folders, files, bytes } = this.#template;
    for (const path of [DATA, ...folders]) FS.mkdirTree(path);
    const parents = new Map<string, MemoryNode>();
    for (const { path, start, end } of files) {
      const folder = posix.dirname(path);
      const parent = parents.get(folder) ?? FS.lookupPath(folder, {}).node;
      parents.set(folder, parent);
      const node = parent.node_ops.mknod(parent, posix.basename(path), FILE, 0);
      if (path === files[0]?.path) this.#kept.guard(node);
      node.contents = this.#kept.keep(bytes.subarray(start, end));
      node.usedBytes = end - start;
    }
    return Promise.resolve();
  }
}
