import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach } from 'vitest';
import { gatewayProgram } from './trivium.ts';

// The gateway as `npm start` runs it: a process of its own, on an embedded database in a folder.
export const root = fileURLToPath(new URL('../..', import.meta.url));
export const GENEROUS = 240_000;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Process {
  child: ChildProcess;
  /** The lines up to and with the last of the welcome. */
  welcome: string[];
  url: string;
  exited: Promise<Exit>;
}

/** A folder for the databases of a test file, and its gateways, which are killed after each test. */
export const folder = mkdtempSync(join(tmpdir(), 'trivium-process-'));
export const running = new Set<ChildProcess>();

/** Called once in each test file that starts gateways, because files share this module. */
export function endProcesses(): void {
  mkdirSync(folder, { recursive: true });
  afterEach(() => running.forEach((child) => child.kill('SIGKILL')));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
}

export const environment = (env: Record<string, string>): NodeJS.ProcessEnv => ({
  ...process.env,
  NODE_ENV: 'development',
  DATABASE_URL: '',
  DATA_DIR: join(folder, 'data'),
  HOST: '',
  PORT: '0',
  BASE_PATH: '',
  DEMO: '',
  LOG_LEVEL: 'warn',
  ...env,
});

/** Starts a gateway, which may have `files` open, and waits until it says that it is ready. */
export async function start(
  env: Record<string, string> = {},
  program = gatewayProgram,
  files?: number,
): Promise<Process> {
  const limited = files === undefined ? 'exec "$@"' : `ulimit -n ${files}; exec "$@"`;
  const child = spawn('sh', ['-c', limited, 'sh', process.execPath, program], {
    cwd: root,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const exited = new Promise<Exit>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  void exited.then(() => running.delete(child));
  let output = '';
  const ready = new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += String(chunk);
      if (/ready at \S+\n/.test(output) && (env['DEMO'] === 'false' || /^curl .*\n/m.test(output)))
        resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void exited.then(({ code, signal }) =>
      reject(new Error(`left with ${code ?? signal}: ${output}`)),
    );
  });
  await ready;
  return {
    child,
    welcome: output.trimEnd().split('\n'),
    url: /ready at (\S+)/.exec(output)?.[1] ?? '',
    exited,
  };
}

/** Runs a start that is expected to fail. */
export function refused(env: Record<string, string>): {
  status: number | null;
  stdout: string;
  stderr: string;
} {
  return spawnSync(process.execPath, [gatewayProgram], {
    cwd: root,
    env: environment(env),
    encoding: 'utf8',
    timeout: GENEROUS,
    killSignal: 'SIGKILL',
  });
}

export const stop = async ({ child, exited }: Process, signal: NodeJS.Signals): Promise<Exit> => (
  child.kill(signal),
  exited
);
