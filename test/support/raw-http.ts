import { connect } from 'node:net';

/**
 * Sends bytes as they are, which fetch would not, and returns all that comes back until the connection ends or nothing more
 * comes for `patience` milliseconds.
 */
export function rawHttp(url: string, text: string | Buffer, patience = 1_500): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    const giveUp = (): void => void socket.destroy();
    let timer = setTimeout(giveUp, Math.max(patience, 20_000));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      clearTimeout(timer);
      timer = setTimeout(giveUp, patience);
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(answer);
    });
    socket.write(text);
  });
}

/** Sends `atOnce` and then `text` one byte at a time, so that the connection is never silent, until the other side ends it or `longest` milliseconds are over. */
export function dripHttp(
  url: string,
  atOnce: string,
  text: string,
  longest = 20_000,
): Promise<{ answer: string; ended: boolean }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let [answer, at, ended] = ['', 0, false];
    socket.write(atOnce);
    const drip = setInterval(() => {
      socket.write(text.charAt(at++));
      // What came behind the request could reset the connection before its reply is read.
      if (at === text.length) clearInterval(drip);
    }, 20);
    const giveUp = setTimeout(() => socket.destroy(), longest);
    socket.on('data', (chunk) => void (answer += chunk.toString('latin1')));
    socket.on('end', () => (ended = true));
    socket.on('error', () => (ended = true));
    socket.on('close', () => {
      clearInterval(drip);
      clearTimeout(giveUp);
      resolve({ answer, ended });
    });
  });
}

/** The status lines of all replies in what came back, as numbers. */
export function statuses(answer: string): number[] {
  return [...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
}
