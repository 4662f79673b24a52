import type { IncomingMessage } from 'node:http';
import { identifyCustomer } from '../../auth/identify-customer.ts';
import { firstViewer, recallViewer } from '../../auth/identify-viewer.ts';
import { sessionTokenOf } from '../../auth/session-token.ts';
import type { Services } from '../../core/context/context.ts';
import type { Customer } from '../../core/context/customer.ts';
import type { Route } from '../../core/rest/route.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import { comesFromElsewhere } from './comes-from-elsewhere.ts';

export interface Caller {
  customer: Customer | null;
  /** The session token that came, whatever it is worth. */
  token: string | undefined;
  /** Who it is now; who it was when it was last seen here. */
  identified: Promise<Viewer | null>;
  recalled: Viewer | undefined;
}

/** Who calls a route, or without one GraphQL: by session, by API key, on GraphQL by either. */
export async function identifyCaller(
  services: Services,
  request: IncomingMessage,
  route: Route | undefined,
): Promise<Caller> {
  const byKey = route?.auth === 'customer';
  const customer = byKey || !route ? await identifyCustomer(services, request.headers) : null;
  if (byKey)
    return { customer, token: undefined, identified: Promise.resolve(null), recalled: undefined };
  const isDataset = route?.family === 'dataset';
  const token = sessionTokenOf(request.headers, { bearer: !route || isDataset });
  const { datasetAuth, publicUrl } = services.config;
  if (
    isDataset &&
    token === undefined &&
    !datasetAuth &&
    !comesFromElsewhere(request.headers, publicUrl)
  )
    return { customer, token, identified: firstViewer(services), recalled: undefined };
  return { customer, token, ...recallViewer(services, token) };
}
