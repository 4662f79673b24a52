import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../../bin/trivium.js', import.meta.url));

/** How a command ended. */
export interface Ended {
  status: number;
  stdout: string;
  stderr: string;
}

/** Runs `trivium` as from a shell without a terminal. It sees nothing of DATABASE_URL but what `env` says. */
export function trivium(
  args: readonly string[],
  { cwd, env, input }: { cwd: string; env: Record<string, string>; input?: Uint8Array | undefined },
): Promise<Ended> {
  const options = { cwd, env: { ...process.env, DATABASE_URL: '', ...env } };
  return new Promise((resolve) =>
    execFile(process.execPath, [bin, ...args], options, (error, stdout, stderr) =>
      resolve({ status: Number(error?.code ?? 0), stdout, stderr }),
    ).stdin?.end(input),
  );
}
