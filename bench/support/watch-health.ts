/** Asks /healthz every 10 ms until it is told to stop, then tells the longest it took, in milliseconds. */
export function watchHealth(url: string): () => Promise<number> {
  let [stopped, most] = [false, 0];
  const watching = (async () => {
    while (!stopped) {
      const startedAt = performance.now();
      const answer = await fetch(`${url}/healthz`);
      await answer.text();
      most = Math.max(most, performance.now() - startedAt);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  return async () => {
    stopped = true;
    await watching;
    return most;
  };
}
