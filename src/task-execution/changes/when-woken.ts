/** Work that is done when somebody asks for it. */
export interface Woken {
  wake(): void;
  /** Resolves when the work that is under way has ended; no more is begun. */
  close(): Promise<void>;
}

/**
 * Does `work` when woken: never twice at a time, again if it was woken in the meantime, and with at least `pause`
 * milliseconds in between, so that a burst costs little. `work` reports its own failures.
 */
export function whenWoken(work: () => Promise<void>, pause: number): Woken {
  let closed = false;
  let again = false;
  let working: Promise<void> | undefined;
  const workOn = async (): Promise<void> => {
    while (again && !closed) {
      again = false;
      await work();
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  };
  const wake = (): void => {
    again = true;
    if (working || closed) return;
    working = workOn().finally(() => {
      working = undefined;
      if (again) wake();
    });
  };
  return {
    wake,
    async close() {
      closed = true;
      await working;
    },
  };
}
