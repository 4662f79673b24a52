import type { IncomingMessage } from 'node:http';
import { identifyCustomer } from '../../auth/identify-customer.ts';
import { identifyToken, type Whence } from '../../accounts/oidc/identify-token.ts';
import { identifyScimClient } from '../../auth/identify-scim-client.ts';
import { firstViewer } from '../../auth/load-viewer.ts';
import { sessionTokenOf } from '../../auth/session-token.ts';
import type { Services } from '../../core/context/context.ts';
import type { Customer, ScimClient } from '../../core/context/customer.ts';
import type { Route } from '../../core/rest/route.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import { comesFromElsewhere } from './comes-from-elsewhere.ts';

export interface Caller {
  customer: Customer | null;
  scim?: ScimClient | undefined;
  /** The session token that was sent, valid or not. */
  token: string | undefined;
  /** The checked viewer, and the viewer when the session was last seen here. */
  identified: Promise<Viewer | null>;
  cached: Viewer | undefined;
}

/**
 * Identifies the caller of a route, or of GraphQL if there is no route: by session, by API key, by SCIM token, or for
 * GraphQL by session or API key.
 */
export async function identifyCaller(
  services: Services,
  request: IncomingMessage,
  route: Route | undefined,
  whence: Whence,
): Promise<Caller> {
  const noSession = { token: undefined, identified: Promise.resolve(null), cached: undefined };
  if (route?.auth === 'scim') {
    const scim = await identifyScimClient(services, request.headers);
    return { customer: null, scim, ...noSession };
  }
  const byKey = route?.auth === 'customer';
  const customer = byKey || !route ? await identifyCustomer(services, request.headers) : null;
  if (byKey) return { customer, ...noSession };
  const isDataset = route?.family === 'dataset';
  const token = sessionTokenOf(request.headers, { bearer: !route || isDataset });
  const { datasetAuth, publicUrl } = services.config;
  if (
    isDataset &&
    token === undefined &&
    !datasetAuth &&
    !comesFromElsewhere(request.headers, publicUrl)
  )
    return { customer, token, identified: firstViewer(services), cached: undefined };
  return { customer, token, ...identifyToken(services, token, whence) };
}

/**
 * Answers a request that only reads. Work starts at once with the viewer that the session had when it was last seen
 * (`cached`), while the database checks the session: so both share a round trip. Unless the check finds exactly the
 * same, the result is discarded and the work is done again.
 */
export async function answerViewer<T>(
  identified: Promise<Viewer | null>,
  cached: Viewer | undefined,
  work: (viewer: Viewer | null) => Promise<T>,
): Promise<T> {
  if (!cached) return work(await identified);
  const [viewer, early] = await Promise.allSettled([identified, work(cached)]);
  if (viewer.status === 'rejected') throw viewer.reason;
  if (viewer.value !== cached) return work(viewer.value);
  if (early.status === 'rejected') throw early.reason;
  return early.value;
}
