import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

/** A request as the contenders describe it. */
export interface WireRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** The bytes of a request: made once, so that the load costs next to no CPU beside the servers. */
export function encodeRequest({ method, path, headers, body }: WireRequest): Buffer {
  const all = {
    host: '127.0.0.1',
    ...headers,
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  };
  const head = Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${head}\r\n${body ?? ''}`);
}

export interface Load {
  requests: number;
  seconds: number;
  /** Milliseconds, ascending. */
  latencies: number[];
}

/** A load at a steady rate, and the latencies of each kind of request, ascending. */
export interface PacedLoad extends Load {
  kinds: ReadonlyMap<string, number[]>;
}

/** Sends the requests round and round over keep-alive connections, one at a time on each. Throws when an answer is not 200. */
export async function runLoad(
  port: number,
  requests: readonly Buffer[],
  connections: number,
  seconds: number,
): Promise<Load> {
  const clients = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const latencies: number[] = [];
  let next = 0;
  const started = performance.now();
  const deadline = started + seconds * 1000;
  const work = async ({ send }: Client): Promise<void> => {
    for (let before = performance.now(); before < deadline;) {
      const request = requests[next++ % requests.length];
      if (!request) throw new Error('no requests');
      await send(request);
      const after = performance.now();
      latencies.push(after - before);
      before = after;
    }
  };
  try {
    await Promise.all(clients.map(work));
  } finally {
    for (const { socket } of clients) socket.destroy();
  }
  return {
    requests: latencies.length,
    seconds: (performance.now() - started) / 1000,
    latencies: latencies.sort((a, b) => a - b),
  };
}

/**
 * Sends the requests at a steady rate, whether or not earlier ones are answered, over at most this many connections. A latency counts from the
 * instant at which its request was due, so that a slow moment is not hidden by requests that wait for it.
 */
export async function runPaced(
  port: number,
  requests: readonly Buffer[],
  {
    rate,
    connections,
    seconds,
    kindOf = () => 'request',
  }: { rate: number; connections: number; seconds: number; kindOf?: (turn: number) => string },
): Promise<PacedLoad> {
  const unused = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const clients = [...unused];
  const kinds = new Map<string, number[]>();
  const gap = 1000 / rate;
  // The pacer needs a moment to start.
  const started = performance.now() + 500;
  const waiting: number[] = [];
  const work = async (client: Client): Promise<void> => {
    for (let turn = waiting.shift(); turn !== undefined; turn = waiting.shift()) {
      const request = requests[turn % requests.length];
      if (!request) throw new Error('no requests');
      await client.send(request);
      const kind = kindOf(turn % requests.length);
      const latencies = kinds.get(kind) ?? [];
      kinds.set(kind, latencies);
      latencies.push(performance.now() - (started + turn * gap));
    }
    unused.push(client);
  };
  const pacer = new Worker(new URL('./pacer.mjs', import.meta.url), {
    execArgv: [],
    workerData: {
      started: performance.timeOrigin + started,
      gap,
      total: Math.floor(rate * seconds),
    },
  });
  try {
    await new Promise<void>((resolve, reject) => {
      let running = 1;
      const ended = (): void => {
        running--;
        if (running === 0) resolve();
      };
      pacer.on('message', (turn: number) => {
        waiting.push(turn);
        // In turn: a server closes connections that are idle for some seconds.
        const client = unused.shift();
        if (!client) return;
        running++;
        work(client).then(ended, reject);
      });
      pacer.once('error', reject);
      pacer.once('exit', ended);
    });
  } finally {
    await pacer.terminate();
    for (const { socket } of clients) socket.destroy();
  }
  const ascending = (latencies: number[]): number[] => latencies.sort((a, b) => a - b);
  kinds.forEach(ascending);
  const latencies = ascending([...kinds.values()].flat());
  return {
    requests: latencies.length,
    seconds: (performance.now() - started) / 1000,
    latencies,
    kinds,
  };
}

/**
 * Connects to a server here, and hands over what it sends: always in the same memory, so the bytes are only there during the call. A buffer for
 * each read would make V8 collect all garbage about once a second, on several threads: the servers would wait for a processor.
 */
export function connectTo(port: number, read: (chunk: Buffer) => void): Promise<Socket> {
  const buffer = Buffer.alloc(65_536);
  const callback = (length: number): boolean => {
    read(buffer.subarray(0, length));
    return true;
  };
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } };
    const socket = connect(options, () => resolve(socket));
    socket.once('error', reject);
  });
}

interface Client {
  socket: Socket;
  /** Sends one request and waits for the end of its answer. */
  send: (request: Buffer) => Promise<void>;
}

const HEAD_END = '\r\n\r\n';

/** Connects a client that has one request at a time answered. The end of an answer is told by Content-Length or by the last chunk. */
async function open(port: number): Promise<Client> {
  let resolve: (() => void) | undefined;
  let reject: ((error: Error) => void) | undefined;
  let missing = -1;
  let chunked = false;
  /** The beginning of an answer whose head has not come whole. */
  let begun: Buffer | undefined;
  const fail = (error: Error): void => reject?.(error);
  const done = (): void => {
    missing = -1;
    resolve?.();
  };
  const readHead = (chunk: Buffer): void => {
    const head = begun ? Buffer.concat([begun, chunk]) : chunk;
    const end = head.indexOf(HEAD_END);
    begun = end < 0 ? Buffer.from(head) : undefined;
    if (end < 0) return;
    const text = head.toString('latin1', 0, end);
    if (!text.startsWith('HTTP/1.1 200'))
      return fail(
        new Error(`answered ${text.slice(0, 20)}: ${head.toString('utf8', end).slice(0, 500)}`),
      );
    const length = /content-length: (\d+)/i.exec(text)?.[1];
    chunked = length === undefined;
    if (!chunked) missing = Number(length) - (head.length - end - HEAD_END.length);
    else if (head.subarray(-7).includes('\r\n0\r\n\r\n')) missing = 0;
    else missing = Infinity;
  };
  const socket = await connectTo(port, (chunk) => {
    if (missing < 0) readHead(chunk);
    else if (!chunked) missing -= chunk.length;
    else if (chunk.subarray(-5).equals(LAST_CHUNK)) missing = 0;
    if (missing === 0) done();
  });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed a connection')));
  return {
    socket,
    send: (request) =>
      new Promise((onDone, onFail) => {
        [resolve, reject] = [onDone, onFail];
        if (socket.destroyed) fail(new Error('the server closed a connection'));
        else socket.write(request);
      }),
  };
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** Sends one request and returns the parsed JSON body. Throws when the answer is not 200. */
export async function fetchJson(
  port: number,
  { method, path, headers, body }: WireRequest,
): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  if (response.status !== 200)
    throw new Error(
      `${method} ${path.slice(0, 200)} answered ${response.status}: ${text.slice(0, 500)}`,
    );
  return JSON.parse(text);
}

/** A prepared request and where it goes. */
export interface Target {
  port: number;
  request: Buffer;
}

/** Sends the requests in turn, one at a time, and returns the latencies of each in milliseconds: for as long as told, of slow ones at least one. */
export async function timeInTurn(targets: readonly Target[], seconds: number): Promise<number[][]> {
  const clients = await Promise.all(targets.map(({ port }) => open(port)));
  const work = targets.map(({ request }, index) => {
    const client = clients[index];
    if (!client) throw new Error('no connection');
    return { latencies: [] as number[], run: () => client.send(request) };
  });
  try {
    // The first statements on each of the gateway's connections are planned and compiled.
    const warm = performance.now() + seconds * 1000;
    for (let turn = 0; turn < 20 && performance.now() < warm; turn++)
      for (const { run } of work) await run();
    const deadline = performance.now() + seconds * 1000;
    do {
      for (const { run, latencies } of work) {
        const before = performance.now();
        await run();
        latencies.push(performance.now() - before);
      }
    } while (performance.now() < deadline);
  } finally {
    for (const { socket } of clients) socket.destroy();
  }
  return work.map(({ latencies }) => latencies);
}
