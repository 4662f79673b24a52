import type { PGlite } from '@electric-sql/pglite';

/** A file or folder of the file system in memory: the part of Emscripten's MEMFS that is used here. */
export interface MemoryNode {
  /** Of a file: bytes. Of a folder: nodes by name. Devices and links have none. */
  contents?: Bytes | Record<string, MemoryNode>;
  usedBytes: number;
  node_ops: { mknod(parent: MemoryNode, name: string, mode: number, device: number): MemoryNode };
  stream_ops: Record<'write' | 'msync', OnStream>;
}
type Bytes = Uint8Array | Int8Array;
type OnStream = (stream: { node: MemoryNode }, ...rest: unknown[]) => number;

/** The part of Emscripten's file system that is used here. */
export interface FileSystem {
  root: MemoryNode;
  /** Open files by their number. */
  streams: (OpenFile | null | undefined)[];
  nameTable: unknown[];
  readFile: (...args: unknown[]) => unknown;
  mkdirTree(path: string): void;
  lookupPath(path: string, options: object): { node: MemoryNode };
}
interface OpenFile {
  node: MemoryNode;
  /** Position and flags, which copies of the number share. */
  shared: object;
}

/** Contents of files that nobody changes: a file gets its own copy when it is first written to. */
export class KeptContents {
  readonly #kept = new WeakSet<Bytes>();

  keep<Contents extends Bytes>(contents: Contents): Contents {
    this.#kept.add(contents);
    return contents;
  }

  /** Lets all files of a file system, which share their operations, get their own copies. */
  guard({ stream_ops: operations }: MemoryNode): void {
    const own =
      (operation: OnStream): OnStream =>
      (stream, ...rest) => {
        const { node } = stream;
        if (isBytes(node.contents) && this.#kept.has(node.contents))
          node.contents = node.contents.slice();
        return operation(stream, ...rest);
      };
    operations.write = own(operations.write);
    operations.msync = own(operations.msync);
  }
}

/** How a PGlite in memory was: its memory, its files and which of them are open. */
export class EmbeddedState {
  readonly #pglite: PGlite;
  readonly #endOfMemory: () => number;
  readonly #size: number;
  /** What the program had taken of it. */
  readonly #memory: Uint8Array;
  readonly #stack: number;
  readonly #nodes = new Map<MemoryNode, MemoryNode>();
  readonly #streams: { at: number; stream: OpenFile; fields: OpenFile; shared: object }[];
  readonly #names: unknown[];
  #loadedMore = false;

  constructor(pglite: PGlite, kept: KeptContents, endOfMemory: () => number) {
    this.#pglite = pglite;
    this.#endOfMemory = endOfMemory;
    const { HEAPU8: memory } = pglite.Module;
    const FS = fileSystemOf(pglite);
    this.#size = memory.length;
    this.#memory = memory.slice(0, endOfMemory());
    this.#stack = pglite.Module.stackSave();
    for (const node of nodesBelow(FS.root)) {
      if (isBytes(node.contents)) kept.keep(node.contents);
      this.#nodes.set(node, { ...node });
    }
    for (const [node, fields] of this.#nodes)
      if (isFolder(node)) fields.contents = { ...node.contents };
    this.#streams = FS.streams.flatMap((stream, at) =>
      stream ? [{ at, stream, fields: { ...stream }, shared: { ...stream.shared } }] : [],
    );
    this.#names = [...FS.nameTable];
    // How Emscripten reads a library.
    const { readFile } = FS;
    FS.readFile = (...args) => {
      this.#loadedMore = true;
      return readFile(...args);
    };
  }

  /** Makes it again as it was. False if that can't be done: it has loaded a library since, or needed more memory. */
  restore(): boolean {
    const { HEAPU8: memory } = this.#pglite.Module;
    if (this.#loadedMore || memory.length !== this.#size) return false;
    memory.fill(0, this.#memory.length, this.#endOfMemory());
    memory.set(this.#memory);
    this.#pglite.Module.stackRestore(this.#stack);
    const FS = fileSystemOf(this.#pglite);
    for (const [node, fields] of this.#nodes) {
      Object.assign(node, fields);
      if (isFolder(fields)) node.contents = { ...fields.contents };
    }
    FS.nameTable.splice(0, FS.nameTable.length, ...this.#names);
    FS.streams.fill(null);
    for (const { at, stream, fields, shared } of this.#streams) {
      Object.assign(stream, fields);
      Object.assign(stream.shared, shared);
      FS.streams[at] = stream;
    }
    return true;
  }
}

const fileSystemOf = (pglite: PGlite): FileSystem => pglite.Module.FS;

const isBytes = (contents: MemoryNode['contents']): contents is Bytes =>
  ArrayBuffer.isView(contents);

type Folder = MemoryNode & { contents: Record<string, MemoryNode> };
const isFolder = (node: MemoryNode): node is Folder =>
  node.contents !== undefined && !isBytes(node.contents);

function nodesBelow(node: MemoryNode, found = new Set<MemoryNode>()): Set<MemoryNode> {
  if (found.has(node)) return found;
  found.add(node);
  if (isFolder(node)) for (const child of Object.values(node.contents)) nodesBelow(child, found);
  return found;
}
