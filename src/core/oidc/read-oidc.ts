import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { oidcField, type OidcSettings } from './oidc-settings.ts';
import { codeOf } from '../errors.ts';

/** The variables of one provider, by their names in a file. */
const variables = {
  name: 'OIDC_NAME',
  issuer: 'OIDC_ISSUER',
  audience: 'OIDC_AUDIENCE',
  authorizedParties: 'OIDC_AUTHORIZED_PARTIES',
  clientId: 'OIDC_CLIENT_ID',
  clientSecret: 'OIDC_CLIENT_SECRET',
  scope: 'OIDC_SCOPE',
  loginClaim: 'OIDC_LOGIN_CLAIM',
  link: 'OIDC_LINK',
  domain: 'OIDC_DOMAIN',
  unit: 'OIDC_UNIT',
  profile: 'OIDC_PROFILE',
  departments: 'OIDC_DEPARTMENTS',
  homeDepartments: 'OIDC_HOME_DEPARTMENTS',
  permissions: 'OIDC_PERMISSIONS',
} as const;

/** The variables of OpenID Connect, for the schema of the environment. */
export const oidcVariables = {
  ...Object.fromEntries(Object.values(variables).map((name) => [name, z.string().optional()])),
  OIDC_FILE: z.string().optional(),
};

/** Most providers of a file. */
const MOST = 50;

/**
 * The OpenID providers that the environment names: one by its variables, or those of the file OIDC_FILE. Returns them
 * with a line for each fault; none of the lines has a secret.
 */
export function readOidc(
  env: Readonly<Record<string, unknown>>,
  provision: boolean,
): { providers: OidcSettings[]; faults: string[] } {
  const given = Object.entries(variables).flatMap(([name, variable]) =>
    env[variable] === undefined ? [] : [[name, env[variable], variable] as const],
  );
  const file = env['OIDC_FILE'];
  if (typeof file === 'string') {
    const other = given[0]?.[2];
    return other === undefined
      ? readFile(file, provision)
      : { providers: [], faults: [`${other}: expected not to be set together with OIDC_FILE`] };
  }
  if (given.length === 0)
    return {
      providers: [],
      faults: provision ? ['OIDC_PROVISION: expected OIDC_ISSUER or OIDC_FILE to be set too'] : [],
    };
  const entry = Object.fromEntries(given.map(([name, value]) => [name, value]));
  const { data, error } = oidcField.safeParse({ ...entry, provision });
  if (data) return { providers: [data], faults: [] };
  return {
    providers: [],
    faults: error.issues.map(({ path, message }) => {
      const name = Object.entries(variables).find(([key]) => key === path[0])?.[1];
      const missing = name !== undefined && env[name] === undefined && path.length === 1;
      return `${name ?? 'OIDC_ISSUER'}: expected ${missing && !message.includes('to be set') ? 'to be set' : worded(message).replaceAll('clientId', variables.clientId)}`;
    }),
  };
}

function readFile(
  file: string,
  provision: boolean,
): { providers: OidcSettings[]; faults: string[] } {
  const failed = (...faults: string[]): { providers: OidcSettings[]; faults: string[] } => ({
    providers: [],
    faults: faults.map((fault) => `OIDC_FILE: ${fault} (in ${JSON.stringify(file)})`),
  });
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const code = codeOf(error);
    return failed(code ? `expected a file that can be read: ${code}` : 'expected JSON');
  }
  if (!Array.isArray(content) || content.length === 0 || content.length > MOST)
    return failed(`expected a list of 1 to ${MOST} providers`);
  const providers: OidcSettings[] = [];
  const faults: string[] = [];
  for (const [index, entry] of (content as unknown[]).entries()) {
    const withDefault =
      typeof entry === 'object' && entry !== null ? { provision, ...entry } : entry;
    const { data, error } = oidcField.safeParse(withDefault);
    if (data) providers.push(data);
    else
      faults.push(
        ...error.issues.map(
          ({ path, message }) =>
            `[${index}]${path.map((part) => `.${String(part)}`).join('')}: expected ${worded(message)}`,
        ),
      );
  }
  for (const name of ['id', 'issuer'] as const)
    if (new Set(providers.map((one) => one[name])).size < providers.length)
      faults.push(`expected a different ${name} for each provider`);
  return faults.length > 0 ? failed(...faults) : { providers, faults };
}

function worded(message: string): string {
  return message
    .replace(/^(Invalid (input|option)|Too (big|small)): (expected )?/, '')
    .replace(/^Unrecognized keys?: /, 'no member ');
}
