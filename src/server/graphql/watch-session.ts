import type { WebSocket } from 'ws';

/** Close code of graphql-ws for a missing or invalid session. */
const FORBIDDEN = 4403;
/** How often the sessions of open connections are checked, in milliseconds. */
const CHECK_EVERY = 2_000;

/** Closes the connection soon after its session has ended, whether or not it has streams. */
export function watchSession(socket: WebSocket, isAlive: () => Promise<boolean>): void {
  const timer = setInterval(() => {
    isAlive().then(
      (alive) => {
        if (!alive) setTimeout(() => socket.close(FORBIDDEN, 'Session ended'), 500).unref();
      },
      () => {},
    );
  }, CHECK_EVERY).unref();
  socket.once('close', () => clearInterval(timer));
}
