import { createScimToken } from '../../src/accounts/scim/tokens/create-scim-token.ts';
import { startApp, type RestAnswer, type TestApp, type TestAppOptions } from './app.ts';
import { organisation } from './records.ts';

/** A directory that manages the users of one domain, as it would over the network. */
export interface Directory {
  token: string;
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<RestAnswer>;
}

export interface ScimApp extends TestApp {
  /** Of the domain acme. */
  acme: Directory;
  /** Of the domain rival. */
  rival: Directory;
}

/** A gateway with two domains, an administrator of acme who has a password, and a directory for each domain. */
export async function startScimApp(options: TestAppOptions = {}): Promise<ScimApp> {
  const app = await startApp(options);
  await app.load([
    ...organisation,
    {
      ...{ record: 'user', domain: 'acme', login: 'admin', display_name: 'Admin' },
      ...{ password: 'secret of admin', permissions: ['DOMAIN_ADMIN'] },
    },
  ]);
  return { ...app, acme: await directoryOf(app, 'acme'), rival: await directoryOf(app, 'rival') };
}

/** A directory with a new token. */
export async function directoryOf(app: TestApp, domain: string): Promise<Directory> {
  const { id: domainId } = await app.services.db.prisma.domain.findUniqueOrThrow({
    where: { name: domain },
  });
  const { token } = await createScimToken(app.services, { domainId });
  return {
    token,
    send: (method, path, body, headers = {}) =>
      app.rest(`/scim/v2${path}`, undefined, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/scim+json; charset=utf-8' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  };
}

export const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** The body of a PATCH. */
export const patchOf = (...operations: object[]): object => ({
  schemas: [PATCH_OP],
  Operations: operations,
});
