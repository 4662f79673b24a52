// Reads pages of feeds, one after the other, for some seconds. Prints the times in milliseconds.
const [url = '', token = '', seconds = '5'] = process.argv.slice(2);
const times: number[] = [];
const end = performance.now() + Number(seconds) * 1000;
while (performance.now() < end) {
  const started = performance.now();
  const response = await fetch(`${url}/task/v1/feeds/list?limit=20`, {
    headers: { 'x-service-csrf-token-x': token },
  });
  if (!response.ok) throw new Error(await response.text());
  await response.text();
  times.push(performance.now() - started);
}
times.sort((a, b) => a - b);
console.log(
  JSON.stringify({
    requests: times.length,
    p50: times[times.length >> 1],
    p99: times[Math.floor(times.length * 0.99)],
  }),
);
