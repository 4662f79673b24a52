/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4). */
const K = Int32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
/** The same of the square roots of the first 8. */
const START = primes(8).map((prime) => fraction(Math.sqrt(prime)));

/**
 * SHA-256 of bytes that come piece by piece: WebCrypto hashes only what is in memory as a whole.
 */
export class Sha256 {
  readonly #state = Int32Array.from(START);
  readonly #words = new Int32Array(64);
  readonly #block = new Uint8Array(64);
  #used = 0;
  #length = 0;

  update(bytes: Uint8Array): this {
    this.#length += bytes.length;
    let at = 0;
    if (this.#used > 0) {
      at = Math.min(64 - this.#used, bytes.length);
      this.#block.set(bytes.subarray(0, at), this.#used);
      this.#used += at;
      if (this.#used < 64) return this;
      this.#mix(this.#block, 0);
      this.#used = 0;
    }
    for (; at + 64 <= bytes.length; at += 64) this.#mix(bytes, at);
    this.#block.set(bytes.subarray(at));
    this.#used = bytes.length - at;
    return this;
  }

  /** Lower-case hexadecimal; nothing can be added afterwards. */
  hex(): string {
    const length = this.#length;
    // A bit, zeros up to the next block with room for it, and the length in bits.
    const end = new Uint8Array(9 + ((119 - (length % 64)) % 64));
    end[0] = 0x80;
    const view = new DataView(end.buffer);
    view.setUint32(end.length - 8, Math.floor(length / 0x20000000));
    view.setUint32(end.length - 4, (length * 8) >>> 0);
    this.update(end);
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  #mix(bytes: Uint8Array, at: number): void {
    const [w, state] = [this.#words, this.#state];
    for (let i = 0, from = at; i < 16; i++, from += 4)
      w[i] =
        (at8(bytes, from) << 24) |
        (at8(bytes, from + 1) << 16) |
        (at8(bytes, from + 2) << 8) |
        at8(bytes, from + 3);
    for (let i = 16; i < 64; i++) {
      const x = at32(w, i - 15);
      const y = at32(w, i - 2);
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[i] = (at32(w, i - 16) + s0 + at32(w, i - 7) + s1) | 0;
    }
    let a = at32(state, 0);
    let b = at32(state, 1);
    let c = at32(state, 2);
    let d = at32(state, 3);
    let e = at32(state, 4);
    let f = at32(state, 5);
    let g = at32(state, 6);
    let h = at32(state, 7);
    for (let i = 0; i < 64; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at32(K, i) + at32(w, i)) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    state[0] = at32(state, 0) + a;
    state[1] = at32(state, 1) + b;
    state[2] = at32(state, 2) + c;
    state[3] = at32(state, 3) + d;
    state[4] = at32(state, 4) + e;
    state[5] = at32(state, 5) + f;
    state[6] = at32(state, 6) + g;
    state[7] = at32(state, 7) + h;
  }
}

const at8 = (bytes: Uint8Array, index: number): number => bytes[index] ?? 0;
const at32 = (words: Int32Array, index: number): number => words[index] ?? 0;

function primes(count: number): number[] {
  const found: number[] = [];
  for (let number = 2; found.length < count; number++)
    if (found.every((prime) => number % prime !== 0)) found.push(number);
  return found;
}

function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 0x1_0000_0000);
}
