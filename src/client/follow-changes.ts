import { sleep, waitAfter, type RetryOptions } from './backoff.ts';
import { isAway, isPassing, ResyncRequiredError } from './gateway-error.ts';
import type { RequestOptions, TypedDocument } from './send-documents.ts';

/**
 * The members of an event that `follow` needs: select `__typename` in all of them, and `cursor` wherever there is one.
 */
export interface FollowedEvent {
  __typename: string;
  cursor?: string;
}

/** Events that the caller of `follow` does not see, because it resumes by itself or throws. */
type Control = 'FeedStreamEnded' | 'ResyncRequired';

export interface Following {
  /**
   * The endless sequence of `feedChanged` events, found by `select`, from the position `after` on (`changeCursor` of a
   * list). When a stream breaks or the gateway ends it, it is resumed after the last event. An event may come twice,
   * none is left out. Throws ResyncRequiredError when the position is too old, GatewayError when the gateway refuses.
   */
  follow<
    Result,
    Variables extends { after?: string | null | undefined },
    Event extends FollowedEvent,
  >(
    document: TypedDocument<Result, Variables>,
    variables: Variables & { after: string },
    select: (result: Result) => Event,
    options?: RequestOptions,
  ): AsyncGenerator<Exclude<Event, { __typename: Control }>, void>;
}

/** Longest wait before the next attempt while nobody answers, in milliseconds: a gateway that is back is found soon. */
const AWAY_MOST = 750;

type Subscribe = <Result, Variables>(
  document: TypedDocument<Result, Variables>,
  variables: Variables,
  options?: RequestOptions,
) => AsyncGenerator<Result, void>;

/** Makes `follow`, which survives broken streams. */
export function createFollowing(subscribe: Subscribe, retry: RetryOptions): Following {
  return {
    async *follow(document, variables, select, options) {
      let { after } = variables;
      for (let failures = 0; ; failures++) {
        let fault: unknown;
        const results = subscribe(document, { ...variables, after }, options);
        try {
          for (;;) {
            const next = await results.next().catch((error: unknown) => {
              if (options?.signal?.aborted || !isPassing(error)) throw error;
              fault = error;
            });
            if (!next || next.done) break;
            failures = 0;
            const event = select(next.value);
            if (event.__typename === 'ResyncRequired')
              throw new ResyncRequiredError('changes since this position are no longer kept');
            if (isContent(event)) yield event;
            // After the yield: an event that the caller did not take comes again.
            after = event.cursor ?? after;
          }
        } finally {
          await results.return();
        }
        const mostMs = isAway(fault) ? Math.min(retry.mostMs, AWAY_MOST) : retry.mostMs;
        await sleep(waitAfter(fault, failures, { ...retry, mostMs }), options?.signal);
      }
    },
  };
}

function isContent<Event extends FollowedEvent>(
  event: Event,
): event is Exclude<Event, { __typename: Control }> {
  return event.__typename !== 'FeedStreamEnded';
}
