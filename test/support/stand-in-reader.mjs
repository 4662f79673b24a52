import { existsSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';

// Stands for the program that reads images: does what the name of the file says, and answers in the type what a test asks about the process.
const reply = (answer) => void process.send?.(answer);
const die = () => void process.kill(process.pid, 'SIGKILL');

const isMute = process.argv.includes('mute');

process.on('message', ({ id, path }) => {
  if (isMute) return;
  const facts = {
    pid: process.pid,
    priority: getPriority(),
    environment: Object.keys(process.env),
  };
  if (path.endsWith('hostile')) {
    const odd = [
      null,
      { refused: null },
      { refused: 5 },
      { refused: {} },
      { failed: { toString: 1 } },
    ];
    for (const what of odd) reply(what && { id, ...what });
  }
  if (path.endsWith('deadly')) die();
  else if (path.endsWith('deadly-once') && !existsSync(`${path}.seen`)) {
    writeFileSync(`${path}.seen`, '');
    die();
  } else if (!path.endsWith('endless'))
    setTimeout(
      () =>
        reply({
          id,
          value: { type: facts, width: 1, height: 1, thumbnail: Buffer.from('thumbnail') },
        }),
      20,
    );
});
process.on('disconnect', () => process.exit());
if (!isMute) reply('ready');
