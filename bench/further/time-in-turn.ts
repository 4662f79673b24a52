import { encodeRequest, timeInTurn, type WireRequest } from '../http-load.ts';
import { median } from '../run-rounds.ts';

/** Median latencies in milliseconds of requests that are sent in turn, one at a time, for this long. */
export async function medianLatencies(
  targets: readonly { port: number; request: WireRequest }[],
  seconds: number,
): Promise<number[]> {
  return (
    await timeInTurn(
      targets.map(({ port, request }) => ({ port, request: encodeRequest(request) })),
      seconds,
    )
  ).map(median);
}

/** A REST request of a signed-in user. */
export function restGet(token: string, path: string, query: Record<string, string>): WireRequest {
  return {
    method: 'GET',
    path: `${path}?${new URLSearchParams(query).toString()}`,
    headers: { 'x-service-csrf-token-x': token },
  };
}

/** `1.23 ms`. */
export function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`;
}
