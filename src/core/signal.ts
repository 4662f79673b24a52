/** The part of an AbortSignal that reads need; an AbortSignal satisfies it. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
  /** Called with the bytes of rows that a statement reads for whoever has this signal. */
  took?(bytes: number): void;
}

/** A signal that its creator aborts. Every request has one, and an AbortController costs ten times as much. */
export class RequestSignal implements Signal {
  #reason: Error | undefined;
  readonly #listeners = new Set<() => void>();

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  get reason(): Error | undefined {
    return this.#reason;
  }

  abort(reason: Error): void {
    if (this.#reason) return;
    this.#reason = reason;
    for (const listener of this.#listeners) listener();
  }

  throwIfAborted(): void {
    if (this.#reason) throw this.#reason;
  }

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }
}

/** The signal of one operation of a document: also aborted when it may not read as many bytes of rows. */
export class ReadingSignal extends RequestSignal {
  #read = 0;
  readonly #refusal: (read: number) => Error | undefined;

  /** `refusal` is told how many bytes the operation has read. */
  constructor(refusal: (read: number) => Error | undefined, request: Signal | undefined) {
    super();
    this.#refusal = refusal;
    const stop = (): void => this.abort(request?.reason as Error);
    if (request?.aborted) stop();
    else request?.addEventListener('abort', stop);
  }

  took(bytes: number): void {
    this.#read += bytes;
    const refusal = this.#refusal(this.#read);
    if (refusal) this.abort(refusal);
  }
}
