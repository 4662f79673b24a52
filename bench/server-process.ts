import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A server that the benchmark started, on a loopback port. */
export interface ServerProcess {
  port: number;
  /** Milliseconds from the start of the process until it listened. */
  startMs: number;
  /** CPU time that the process used so far, in milliseconds; undefined where the system does not tell. */
  cpuMs(): number | undefined;
  /** Resident memory in MB, now and at most. */
  memory(): { now: number; peak: number } | undefined;
  stop(): Promise<void>;
}

const READY = /(?:listening on |ready at http:\/\/127\.0\.0\.1:)(\d+)/;
const TICK_MS = 10;

/** Starts a Node program and waits until it says where it listens. */
export async function startServer(
  node: string,
  args: readonly string[],
  env: Record<string, string>,
  cwd: string,
): Promise<ServerProcess> {
  const started = performance.now();
  const inherited = Object.fromEntries(
    ['PATH', 'HOME', 'TMPDIR'].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  );
  const child = spawn(node, args, {
    cwd,
    env: { ...inherited, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const port = await listening(child, args.join(' '));
  const startMs = performance.now() - started;
  return {
    port,
    startMs,
    cpuMs: () => {
      const fields = procFile(child, 'stat')?.split(') ')[1]?.split(' ');
      return fields ? (Number(fields[11]) + Number(fields[12])) * TICK_MS : undefined;
    },
    memory: () => {
      const status = procFile(child, 'status');
      const megabytes = (name: string): number =>
        Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status ?? '')?.[1] ?? 0) / 1024);
      return status === undefined
        ? undefined
        : { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
    },
    stop: () => stop(child),
  };
}

function listening(child: ChildProcess, name: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (reason: string): void => {
      child.kill('SIGKILL');
      reject(new Error(`${name} ${reason}\n${output.slice(-2000)}`));
    };
    const timer = setTimeout(() => fail('did not start in 120 s'), 120_000);
    const read = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-20_000);
      const port = READY.exec(output)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-20_000);
    });
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code) => fail(`ended with ${String(code)}`));
  });
}

function procFile(child: ChildProcess, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${child.pid ?? 0}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}

function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
