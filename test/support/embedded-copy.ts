import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { MemoryFS, PGlite } from '@electric-sql/pglite';
import { extract } from 'tar-stream';
import { PLAN_SETTINGS } from '../../src/core/database/plan-settings.ts';

interface Template {
  folders: string[];
  /** Where each file is in `bytes`. */
  files: { path: string; start: number; end: number }[];
  /** Of all files. Copies read it, and never write to it. */
  bytes: Uint8Array;
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

/** Compiled once for a worker, and kept: what V8 has optimised of it serves the next database too, also one in a thread. */
const program = WebAssembly.compile(
  readFileSync(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'))),
);

/** A worker reads the template once. */
const templates = new Map<string, Promise<Template>>();

/** A database in memory, as the template has it. Takes half the time that PGlite takes to load an archive. */
export async function openEmbeddedCopy(file: string): Promise<PGlite> {
  let template = templates.get(file);
  if (!template) templates.set(file, (template = readTemplate(file)));
  return PGlite.create({
    pgliteWasmModule: await program,
    fs: new FilledFS(await template),
    startParams: [...PGlite.defaultStartParams, ...SMALL.flatMap((setting) => ['-c', setting])],
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

/** A file or folder of the file system in memory: the part of Emscripten's MEMFS that is used here. */
interface MemoryNode {
  contents: Uint8Array;
  usedBytes: number;
  node_ops: {
    mknod(parent: MemoryNode, name: string, mode: number, device: number): MemoryNode;
  };
  stream_ops: StreamOperations;
}
type OnStream = (stream: { node: MemoryNode }, ...rest: unknown[]) => number;
type StreamOperations = Readonly<Record<'write' | 'msync', OnStream>>;

const FILE = 0o100666;

/** A file system in memory that begins with the files of a template, each of which is copied when it is first written to. */
class FilledFS extends MemoryFS {
  readonly #template: Template;

  constructor(template: Template) {
    super();
    this.#template = template;
  }

  override initialSyncFs(): Promise<void> {
    const FS = this.pg?.Module.FS;
    if (!FS) throw new Error('PGlite has not made its file system');
    const { folders, files, bytes } = this.#template;
    const own =
      (operation: OnStream): OnStream =>
      (stream, ...rest) => {
        const { node } = stream;
        if (node.contents.buffer === bytes.buffer) node.contents = node.contents.slice();
        return operation(stream, ...rest);
      };
    for (const path of [DATA, ...folders]) FS.mkdirTree(path);
    const parents = new Map<string, MemoryNode>();
    let operations: StreamOperations | undefined;
    for (const { path, start, end } of files) {
      const folder = posix.dirname(path);
      const parent = parents.get(folder) ?? FS.lookupPath(folder, {}).node;
      parents.set(folder, parent);
      const node = parent.node_ops.mknod(parent, posix.basename(path), FILE, 0);
      node.contents = bytes.subarray(start, end);
      node.usedBytes = end - start;
      const { write, msync } = node.stream_ops;
      operations ??= { ...node.stream_ops, write: own(write), msync: own(msync) };
      node.stream_ops = operations;
    }
    return Promise.resolve();
  }
}
