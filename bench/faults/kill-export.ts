import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { call, graphql, upload } from './call.ts';
import { kill, pause, until, type Fault, type Rig } from './fault.ts';
import { untilReady } from '../support/gateway-process.ts';
import { crossCheck, makeDataset, makeWorld, noise } from './world.ts';

/** Their export takes long enough to see that it has begun. */
const IMAGES = 60;
/** A job of a gateway that died is taken up after 15 s, and looked for every 5 s. */
const TAKEN_UP_MS = 60_000;
/** A job that ended its gateway so often is given up. */
const MOST_ATTEMPTS = 3;

/** `kill -9` of a gateway that writes an export: the next one on its folder writes it anew, or fails it when it ended too many gateways, and nothing of it stays behind. */
export const killExport: Fault = {
  name: 'killed in an export',
  async run(rig) {
    const { url } = await rig.postgres();
    const kinds = await Promise.all([
      tryKind(rig, 'PostgreSQL', url),
      tryKind(rig, 'embedded', ''),
    ]);
    return {
      rounds: kinds.reduce((sum, { rounds }) => sum + rounds, 0),
      acknowledged: kinds.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
      lost: kinds.reduce((sum, { lost }) => sum + lost, 0),
      broken: kinds.flatMap(({ broken }) => broken),
      notes: kinds.map(({ notes }) => notes).join('; '),
    };
  },
};

/** Kills one gateway in each export, and then each gateway that takes up the same one. */
async function tryKind(
  rig: Rig,
  kind: string,
  databaseUrl: string,
): Promise<Awaited<ReturnType<Fault['run']>>> {
  const folder = rig.folder();
  const staging = join(folder, 'blobs', 'staging');
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: folder };
  const world = await makeWorld(env);
  const [token = ''] = world.tokens;
  let gateway = await rig.gateway(env);
  const { datasetId, projectNode } = await makeDataset(gateway.url, token);
  for (let i = 0; i < IMAGES; i++) {
    const answer = await upload(gateway.url, token, datasetId, await noise(700));
    if (answer.status !== 200) throw new Error(`an upload answered ${answer.status}`);
  }
  const broken: string[] = [];
  const fail = (text: string): void => void broken.push(`${kind}: ${text}`);
  let [begun, lost, left, resumed, slowest] = [0, 0, 0, 0, 0];
  /** Files of gateways that were killed: the next one removes them a moment after it answers. */
  const killed = new Set<string>();
  const begin = async (): Promise<string> => {
    // Another class is another content: the same one would be the same job.
    const changed = await graphql(gateway.url, token, ADD_CLASS, {
      input: { projectId: projectNode, classes: [{ name: `kind ${begun++}`, color: '#336699' }] },
    });
    const made = await graphql(gateway.url, token, EXPORT, {
      input: { projectId: projectNode, filter: 'ALL' },
    });
    const id: unknown = made.json?.data?.exportProject?.job?.id;
    if (changed.status !== 200 || typeof id !== 'string')
      throw new Error(`no export: ${JSON.stringify([changed.json, made.json])}`);
    return id;
  };
  /**
   * Kills the gateway while the archive is on its way into the staging folder, and starts it again. It does not wait until the next
   * one answers: that one may take up the export before.
   */
  const killWhileWriting = async (): Promise<void> => {
    const writes = (): boolean => bytesIn(staging, killed) > 2 ** 20;
    if ((await until(writes, TAKEN_UP_MS)) === undefined) fail('no export was written');
    await kill(gateway);
    left += bytesIn(staging, killed);
    for (const name of readdirSync(staging)) killed.add(name);
    gateway = rig.startGateway(env, gateway.port);
  };
  const stateOf = async (id: string): Promise<{ state: string; downloadUrl: string | null }> =>
    (await graphql(gateway.url, token, JOB, { id })).json?.data?.node ?? {};
  const ended = async (id: string): Promise<string> => {
    await untilReady(gateway);
    let state = '';
    const look = async (): Promise<boolean> =>
      /SUCCEEDED|FAILED/.test((state = (await stateOf(id)).state));
    const ms = await until(look, TAKEN_UP_MS);
    slowest = Math.max(slowest, ms ?? TAKEN_UP_MS);
    return state;
  };

  const rounds = rig.rounds(4);
  for (let n = 0; n < rounds; n++) {
    const id = await begin();
    await killWhileWriting();
    const state = await ended(id);
    if (state !== 'SUCCEEDED') {
      lost++;
      continue;
    }
    resumed++;
    const { downloadUrl } = await stateOf(id);
    const archive = await call(
      gateway.url,
      downloadUrl?.replace(/^https?:\/\/[^/]+/, '') ?? '',
      token,
    );
    if (archive.status !== 200) fail(`the archive answered ${archive.status}`);
  }
  const deadly = await begin();
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) await killWhileWriting();
  const state = await ended(deadly);
  if (state !== 'FAILED') fail(`an export that ended ${MOST_ATTEMPTS} gateways is ${state}`);
  await pause(100);
  if (bytesIn(staging) > 0) fail(`${bytesIn(staging)} bytes stay in the staging folder`);
  await kill(gateway);
  const check = await crossCheck(env);
  if (check.orphans > 0) fail(`${check.orphans} objects that no row names`);
  return {
    rounds: rounds + MOST_ATTEMPTS,
    acknowledged: begun,
    lost: lost + check.faults,
    broken,
    notes: `${kind}: ${resumed} of ${rounds} written anew, ended ${Math.round(slowest / 1000)} s after the start at most, ${Math.round(left / 2 ** 20)} MiB of staging removed`,
  };
}

function bytesIn(folder: string, but: ReadonlySet<string> = new Set()): number {
  const names = readdirSync(folder).filter((name) => !but.has(name));
  return names.reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

const ADD_CLASS =
  'mutation ($input: AddAnnotationClassesInput!) { addAnnotationClasses(input: $input) { __typename } }';
const EXPORT =
  'mutation ($input: ExportProjectInput!) { exportProject(input: $input) { ... on ExportProjectPayload { job { id } } } }';
const JOB = 'query ($id: ID!) { node(id: $id) { ... on ExportJob { state downloadUrl } } }';
