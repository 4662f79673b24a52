import type { Readable } from 'node:stream';
import { signedInStill } from '../../auth/guards.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';

/** How often it is asked, in milliseconds. */
const LOOK_EVERY = 2_000;

/** Breaks off a file or an archive, which may be sent for hours, once the session of who gets it has ended. */
export function endWithSession(ctx: SignedInContext, body: Readable): void {
  const timer = setInterval(() => {
    // What else fails here says nothing of the session.
    signedInStill(ctx).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'E202') body.destroy(error);
    });
  }, LOOK_EVERY).unref();
  body.once('close', () => clearInterval(timer));
}
