import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../test/support/free-port.ts';
import { startPostgres, type OwnPostgres } from '../support/own-postgres.ts';
import { spawnGateway, untilReady, type GatewayProcess } from '../support/gateway-process.ts';

/** What a fault did. */
export interface Outcome {
  rounds: number;
  /** Writes that were answered with success. */
  acknowledged: number;
  /** Of those, how many are gone, and halves of writes that stayed. */
  lost: number;
  /** Promises that were not kept, in words; empty is good. */
  broken: string[];
  /** Figures for the table. */
  notes: string;
}

export interface Fault {
  name: string;
  run(rig: Rig): Promise<Outcome>;
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));
export const random = (from: number, to: number): number =>
  from + Math.floor(Math.random() * (to - from));

/** What a fault may use; everything that it starts ends with it. */
export class Rig {
  readonly quick: boolean;
  readonly #cleanUps: (() => void)[] = [];

  constructor(quick: boolean) {
    this.quick = quick;
  }

  /** So many rounds, or a tenth of them with --quick. */
  rounds(full: number): number {
    return this.quick ? Math.max(2, Math.round(full / 10)) : full;
  }

  atEnd(cleanUp: () => void): void {
    this.#cleanUps.push(cleanUp);
  }

  folder(): string {
    const path = mkdtempSync(join(tmpdir(), 'trivium-fault-'));
    this.atEnd(() => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  async postgres(options?: Parameters<typeof startPostgres>[0]): Promise<OwnPostgres> {
    return this.own(await startPostgres(options));
  }

  own(server: OwnPostgres): OwnPostgres {
    this.atEnd(() => server.stop());
    return server;
  }

  /** A gateway on a port of its own, or on the given one. */
  async gateway(
    env: Record<string, string>,
    port?: number,
  ): Promise<GatewayProcess & { port: number }> {
    const gateway = this.startGateway(env, port ?? (await freePort()));
    await untilReady(gateway);
    return gateway;
  }

  /** The same, which does not answer yet. */
  startGateway(env: Record<string, string>, port: number): GatewayProcess & { port: number } {
    const gateway = spawnGateway(port, env);
    this.atEnd(() => void gateway.child.kill('SIGKILL'));
    return { ...gateway, port };
  }

  end(): void {
    for (const cleanUp of this.#cleanUps.splice(0).reverse()) {
      try {
        cleanUp();
      } catch (error) {
        console.error(error);
      }
    }
  }
}

/** Kills a process as `kill -9` does and waits until it is gone. */
export async function kill({ child }: Pick<GatewayProcess, 'child'>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

/** Runs one statement on a connection of its own. */
export async function query(url: string, sql: string, params: unknown[] = []): Promise<any[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, params)).rows;
  } finally {
    await client.end();
  }
}

/** Waits until `holds`, at most so long; returns how long it took in milliseconds, or undefined. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  ms: number,
): Promise<number | undefined> {
  const begun = performance.now();
  while (performance.now() - begun < ms) {
    if (await holds()) return Math.round(performance.now() - begun);
    await pause(50);
  }
  return undefined;
}
