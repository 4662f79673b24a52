import { connect } from 'node:net';

/** Sends bytes as they are, which fetch would not, and returns all that comes back until the connection ends or nothing comes for `patience` milliseconds. */
export function rawHttp(url: string, text: string | Buffer, patience = 1_500): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    const timer = setTimeout(() => socket.destroy(), patience);
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      timer.refresh();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(answer);
    });
    socket.write(text);
  });
}

/** The status lines of all replies in what came back, as numbers. */
export function statuses(answer: string): number[] {
  return [...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
}
