import type { Signal } from '../core/signal.ts';
import type { DomainTurns } from '../core/turns/domain-turns.ts';

/** The turn of one request among those of its domain. */
export interface Turn {
  /** Begins, unless it has begun; what it waits for, if it has to wait. */
  begin(domainId: number): Promise<void> | undefined;
  /** Ends, if it has begun. */
  end: () => void;
}

/** A turn that ends when nobody waits for the reply any more, if not before. */
export function takeTurn(turns: DomainTurns, signal: Signal): Turn {
  let held: number | undefined;
  const end = (): void => {
    if (held === undefined) return;
    turns.end(held);
    held = undefined;
    signal.removeEventListener('abort', end);
  };
  const hold = (domainId: number): void => {
    held = domainId;
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  };
  return {
    begin(domainId) {
      if (held !== undefined) return undefined;
      const turn = turns.begin(domainId, signal)?.then(() => hold(domainId));
      if (!turn) hold(domainId);
      return turn;
    },
    end,
  };
}
