/** The request of a subscription: its client sends it again after every break, with the variables that it has then. */
interface Request {
  variables?: Record<string, unknown> | null | undefined;
}

interface Sink<Result> {
  next(result: Result): void;
  error(error: unknown): void;
  complete(): void;
}

/** Moves `after` of the request on with every event, so that it begins where it broke off. Select `cursor` in all events. */
export function resume<Result extends { data?: unknown }>(
  request: Request,
  sink: Sink<Result>,
): Sink<Result> {
  return {
    next: (result) => {
      const data = result.data as { feedChanged?: { cursor?: string } | null } | null | undefined;
      const after = data?.feedChanged?.cursor;
      if (after !== undefined) request.variables = { ...request.variables, after };
      sink.next(result);
    },
    error: (error) => sink.error(error),
    complete: () => sink.complete(),
  };
}

/** The wait before the next attempt: a gateway that is back is found within a second, and not by all at once. */
export const beforeRetry = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * 750));
