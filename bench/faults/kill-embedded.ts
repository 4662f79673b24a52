import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { call, post } from './call.ts';
import { kill, pause, random, type Fault } from './fault.ts';
import { makeDataset, makeWorld } from './world.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const IN_USE = 4;

/** `kill -9` of a gateway with the embedded database during writes, and second gateways on its folder, which are refused. */
export const killEmbedded: Fault = {
  name: 'embedded killed',
  async run(rig) {
    const env = { DATABASE_URL: '', DATA_DIR: rig.folder() };
    const world = await makeWorld(env);
    const [token = ''] = world.tokens;
    const broken: string[] = [];
    const rounds = rig.rounds(100);
    const seconds = rig.rounds(20);
    let gateway = await rig.gateway(env);
    const { datasetId } = await makeDataset(gateway.url, token);
    let [acknowledged, lost, refusedSeconds, described] = [0, 0, 0, 0];
    const names = new Set<string>();
    for (let n = 0; n < rounds; n++) {
      let writing = true;
      const { url } = gateway;
      const loops = [
        (async () => {
          for (let i = 0; writing; i++) {
            const name = `task ${n}-${i}`;
            const answer = await post(
              url,
              '/api/task-tracker-external/tasks',
              '',
              { name, assignedTo: 'user0' },
              { ...world.customer, 'Idempotency-Key': name },
            );
            if (answer.status === 201) names.add(name);
          }
        })(),
        (async () => {
          while (writing) {
            const answer = await post(url, '/api/Datasets/update', token, {
              datasetId,
              name: 'Set',
              description: String(described + 1),
            });
            if (answer.status === 200)
              [described, acknowledged] = [described + 1, acknowledged + 1];
            else return;
          }
        })(),
      ];
      if (n < seconds) {
        const second = await openSecond(env);
        if (second === IN_USE) refusedSeconds++;
        else broken.push(`a second gateway on the folder ended with ${String(second)}`);
      } else await pause(random(50, 400));
      await kill(gateway);
      writing = false;
      await Promise.all(loops);
      gateway = await rig.gateway(env, gateway.port);
      const answer = await call(gateway.url, `/api/Datasets?workspaceId=`, token);
      if (answer.status >= 500 || answer.status <= 0)
        broken.push(`a read after the kill answered ${answer.status}`);
      const stored = await storedDescription(gateway.url, token, datasetId);
      if (stored !== described && stored !== described + 1) lost++;
      described = stored;
    }
    acknowledged += names.size;
    // A replay answers with the stored task: whatever is not replayed had gone.
    for (const name of [...names]) {
      const answer = await post(
        gateway.url,
        '/api/task-tracker-external/tasks',
        '',
        { name, assignedTo: 'user0' },
        { ...world.customer, 'Idempotency-Key': name },
      );
      if (answer.headers.get('idempotent-replayed') !== 'true') lost++;
    }
    await kill(gateway);
    return {
      rounds,
      acknowledged,
      lost,
      broken: [...new Set(broken)].slice(0, 10),
      notes: `${refusedSeconds} of ${seconds} second opens refused`,
    };
  },
};

/** The exit code of a second gateway on the same folder. */
function openSecond(env: Record<string, string>): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts'], {
      cwd: root,
      env: { ...process.env, ...env, PORT: '0', DEMO: 'false', LOG_LEVEL: 'fatal' },
      stdio: 'ignore',
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
    child.once('exit', (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
}

async function storedDescription(url: string, token: string, datasetId: string): Promise<number> {
  const answer = await post(url, '/graphql', token, {
    query: 'query ($id: UUID!) { dataset(uuid: $id) { description } }',
    variables: { id: datasetId },
  });
  return Number(answer.json?.data?.dataset?.description);
}
