import { createServer, type Server, type Socket } from 'node:net';
import S3rver from 's3rver';
import { call, upload } from './call.ts';
import { until, type Fault } from './fault.ts';
import { freePort } from '../../test/support/free-port.ts';
import { crossCheck, makeDataset, makeWorld, noise } from './world.ts';

/** The S3 endpoint goes away, or takes connections and says nothing: uploads and downloads fail in time, the rest goes on. */
export const loseStorage: Fault = {
  name: 'storage unreachable',
  async run(rig) {
    const { url: DATABASE_URL } = await rig.postgres();
    const [directory, port] = [rig.folder(), await freePort()];
    const openStore = async (): Promise<S3rver> => {
      const server = new S3rver({
        port,
        address: '127.0.0.1',
        silent: true,
        directory,
        configureBuckets: [{ name: 'images' }],
      });
      await server.run();
      return server;
    };
    let store = await openStore();
    const env = {
      DATABASE_URL,
      DATA_DIR: rig.folder(),
      STORAGE: `s3://images/faults?endpoint=http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    };
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' });
    const world = await makeWorld(env);
    const gateway = await rig.gateway(env);
    const [token = ''] = world.tokens;
    const { datasetId } = await makeDataset(gateway.url, token);
    const broken: string[] = [];
    const uploads: string[] = [];
    const put = async (): Promise<Awaited<ReturnType<typeof upload>>> => {
      const answer = await upload(gateway.url, token, datasetId, await noise(64));
      if (answer.status === 200) uploads.push(answer.json.data);
      return answer;
    };
    let [refused, slowest] = [0, 0];
    const rounds = rig.rounds(4);
    for (let n = 0; n < rounds; n++) {
      if ((await put()).status !== 200) broken.push('no upload while the storage is there');
      await store.close();
      const silent = n % 2 === 1 ? await blackHole(port) : undefined;
      const answers = await Promise.all([
        put(),
        put(),
        call(gateway.url, `/api/Images/download?imageId=${uploads[0]}`, token),
        call(gateway.url, '/task/v1/feeds/list', token),
        call(gateway.url, '/readyz', ''),
      ]);
      const [first, second, download, list, ready] = answers;
      for (const answer of [first, second]) {
        slowest = Math.max(slowest, answer.ms);
        refused++;
        if (answer.status !== 500 || answer.retryAfter === null)
          broken.push(
            `an upload answered ${answer.status} after ${Math.round(answer.ms)} ms, Retry-After ${answer.retryAfter}`,
          );
      }
      if (download.status === 200 || download.status === -1)
        broken.push(`a download answered ${download.status}`);
      if (list.status !== 200 || ready.status !== 200)
        broken.push(`feeds answered ${list.status}, /readyz ${ready.status}`);
      await silent?.();
      store = await openStore();
      if ((await until(async () => (await put()).status === 200, 10_000)) === undefined)
        broken.push('no upload within 10 s of the storage');
    }
    let lost = 0;
    for (const id of uploads)
      if ((await call(gateway.url, `/api/Images/download?imageId=${id}`, token)).status !== 200)
        lost++;
    const check = await crossCheck(env);
    await store.close();
    return {
      rounds,
      acknowledged: uploads.length,
      lost: lost + check.faults,
      broken: [...new Set(broken)].slice(0, 10),
      notes: `${refused} uploads refused, slowest ${Math.round(slowest)} ms; ${check.objects} objects checked, ${check.faults} bad`,
    };
  },
};

/** Takes connections and never answers. Returns how to end it. */
async function blackHole(port: number): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  }).listen(port, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
}
