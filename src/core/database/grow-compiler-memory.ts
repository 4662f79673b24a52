/** Of 64 KiB: 64 MiB of addresses, which take up memory only when they are used. */
const PAGES = 1_024;

/**
 * Loads Prisma's query compiler with as much memory as it will need. The compiler is WebAssembly, and memory of
 * WebAssembly that grows gets a new buffer; the old one is detached. As soon as one buffer of a process was detached,
 * V8 checks every access to every typed array, and a page of 100 feeds takes a tenth longer to write. Memory that grows
 * before JavaScript has seen its buffer detaches nothing. Prisma has no setting for it, so `WebAssembly.Instance` is
 * replaced while `load` runs.
 */
export async function growCompilerMemory(load: () => Promise<void>): Promise<void> {
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class extends Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, imports);
      const { memory } = this.exports;
      if (memory instanceof WebAssembly.Memory) memory.grow(PAGES);
    }
  };
  try {
    await load();
  } finally {
    WebAssembly.Instance = Instance;
  }
}
