import { execFile, spawnSync } from 'node:child_process';
import { inject } from 'vitest';

/** The command line and the gateway, compiled once for all tests: bin/trivium.js and scripts/start.mjs read all sources at each start. */
export const { cli: cliProgram, gateway: gatewayProgram } = inject('programs');

/** How a command ended. */
export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  cwd: string;
  env: Record<string, string>;
  input?: string | Uint8Array | undefined;
  /** Bounds each file that it writes, in blocks of 512 bytes, as a full disk does. */
  limit?: number | undefined;
}

const environment = (env: Record<string, string>): NodeJS.ProcessEnv => ({
  ...process.env,
  DATABASE_URL: '',
  ...env,
});

/** The program and the arguments of a command. */
function commandLine(args: readonly string[], limit: number | undefined): [string, string[]] {
  const bounded = limit === undefined ? [] : ['sh', '-c', `ulimit -f ${limit}; exec "$@"`, 'sh'];
  const [program = '', ...rest] = [...bounded, process.execPath, cliProgram, ...args];
  return [program, rest];
}

/** Runs `trivium` as from a shell without a terminal. It sees nothing of DATABASE_URL but what `env` says. */
export function trivium(
  args: readonly string[],
  { cwd, env, input, limit }: CommandOptions,
): Promise<Ended> {
  const [program, rest] = commandLine(args, limit);
  return new Promise((resolve) =>
    execFile(program, rest, { cwd, env: environment(env) }, (error, stdout, stderr) =>
      resolve({ status: Number(error?.code ?? 0), stdout, stderr }),
    ).stdin?.end(input),
  );
}

/** The same, and waits without serving anything meanwhile. */
export function triviumSync(
  args: readonly string[],
  { cwd, env, input = '', limit }: CommandOptions,
): Ended {
  const [program, rest] = commandLine(args, limit);
  const options = { cwd, env: environment(env), input, encoding: 'utf8' as const };
  const { status, stdout, stderr } = spawnSync(program, rest, options);
  return { status, stdout, stderr };
}
