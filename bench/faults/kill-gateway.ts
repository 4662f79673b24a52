import { kill, pause, random, type Fault } from './fault.ts';
import { crossCheck, makeDataset, makeWorld } from './world.ts';
import { Writers } from './writers.ts';

/** `kill -9` of the gateway during writes, uploads and jobs: two gateways on one database take turns to die. */
export const killGateway: Fault = {
  name: 'gateway killed',
  async run(rig) {
    const { url: DATABASE_URL } = await rig.postgres();
    const env = { DATABASE_URL, DATA_DIR: rig.folder() };
    const world = await makeWorld(env);
    const rounds = rig.rounds(50);
    const all: Writers[] = [];
    const lane = async (times: number): Promise<void> => {
      let gateway = await rig.gateway(env);
      const writers = new Writers(
        world,
        await makeDataset(gateway.url, world.tokens[0] ?? ''),
        () => gateway.url,
      );
      all.push(writers);
      writers.start();
      for (let n = 0; n < times; n++) {
        await pause(random(200, 1_500));
        await kill(gateway);
        gateway = await rig.gateway(env, gateway.port);
      }
      await pause(500);
      await writers.stop();
      await kill(gateway);
    };
    await Promise.all([lane(Math.ceil(rounds / 2)), lane(Math.floor(rounds / 2))]);
    const lost = (await Promise.all(all.map((writers) => writers.lost(DATABASE_URL)))).flat();
    const check = await crossCheck(env);
    const hung = all.flatMap(({ answers }) => answers).filter(({ status }) => status === -1).length;
    const serverErrors = all
      .flatMap(({ answers }) => answers)
      .filter(({ status }) => status === 500).length;
    return {
      rounds,
      acknowledged: all.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
      lost: lost.length + check.faults,
      broken: [
        ...lost.slice(0, 5),
        ...(hung > 0 ? [`${hung} requests hung`] : []),
        ...(serverErrors > 0 ? [`${serverErrors} answers of 500`] : []),
      ],
      notes: `${check.objects} objects checked, ${check.faults} missing or corrupt, ${check.orphans} orphans left for the sweep`,
    };
  },
};
