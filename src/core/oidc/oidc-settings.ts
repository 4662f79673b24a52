import * as z from 'zod';
import { isStorable } from '../text.ts';

/** What a user gets: always the same values, or those of a claim, translated by `map` where there is one. */
export type ClaimRule =
  | { fixed: readonly string[] }
  | { claim: string; map: Readonly<Record<string, readonly string[]>> | undefined };

/** How an identity without a link becomes that of a user who is there already. */
export type LinkRule = 'verified-email' | 'login' | 'never';

/** An OpenID provider whose tokens are accepted. */
export interface OidcSettings {
  /** In paths and in the audit log. */
  id: string;
  /** What the pages call it. */
  name: string;
  /** As tokens name it. */
  issuer: string;
  /** Audiences of access tokens; none: no access tokens are accepted. */
  audiences: readonly string[];
  /** Clients whose access tokens are accepted; empty: all to which the provider gives the audience. */
  authorizedParties: readonly string[];
  clientId: string | undefined;
  clientSecret: string | undefined;
  scope: string;
  /** Claims with the login, the first that is there counts. */
  loginClaims: readonly string[];
  link: LinkRule;
  /** Whether the first sign-in makes the user. */
  provision: boolean;
  domain: ClaimRule;
  unit: ClaimRule | undefined;
  profile: ClaimRule | undefined;
  departments: ClaimRule | undefined;
  homeDepartments: ClaimRule | undefined;
  permissions: ClaimRule | undefined;
}

const word = z.string().min(1).max(500).refine(isStorable);
const WORDS = 'values separated by commas';
const list = z.union(
  [
    word.transform((text) => splitWords(text)).refine((words) => words.length > 0, WORDS),
    z.array(word).min(1).max(100),
  ],
  WORDS,
);

/** `claim:<name>`, values separated by commas, a list of values, or a claim with a map. */
const ruleField = z.union(
  [
    word
      .refine((text) => !/^claim:\s*$/.test(text))
      .transform((text): ClaimRule => {
        const claim = /^claim:(.+)$/s.exec(text)?.[1];
        return claim === undefined
          ? { fixed: splitWords(text) }
          : { claim: claim.trim(), map: undefined };
      }),
    z
      .array(word)
      .max(100)
      .transform((fixed): ClaimRule => ({ fixed })),
    z
      .strictObject({ claim: word, map: z.record(z.string(), list).optional() })
      .transform(({ claim, map }): ClaimRule => ({ claim, map })),
  ],
  'values separated by commas, or claim:<name>',
);

/** One provider, as a file or the environment describes it. */
export const oidcField = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'lower-case letters, digits and dashes, at most 32')
      .default('sso'),
    name: word.max(60, 'at most 60 characters').optional(),
    issuer: z
      .string()
      .max(500, 'at most 500 characters')
      .refine(isSafeUrl, 'an https:// URL without query (http:// for 127.0.0.1 and localhost)'),
    audience: list.default([]),
    authorizedParties: list.default([]),
    clientId: word.optional(),
    clientSecret: word.optional(),
    scope: word
      .refine((text) => text.split(' ').includes('openid'), 'scopes, among them openid')
      .default('openid profile email'),
    loginClaim: list.default(['email', 'preferred_username']),
    link: z.enum(['verified-email', 'login', 'never']).default('verified-email'),
    provision: z.boolean().default(false),
    domain: ruleField,
    unit: ruleField.optional(),
    profile: ruleField.optional(),
    departments: ruleField.optional(),
    homeDepartments: ruleField.optional(),
    permissions: ruleField.optional(),
  })
  .superRefine((value, context) => {
    const fault = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (value.audience.length === 0 && value.clientId === undefined)
      fault('audience', 'to be set, or clientId: else no token is accepted');
    if (value.clientSecret !== undefined && value.clientId === undefined)
      fault('clientSecret', 'clientId to be set too');
    for (const name of ['domain', 'unit', 'profile'] as const) {
      const rule = value[name];
      if (rule && 'fixed' in rule && rule.fixed.length !== 1) fault(name, 'one name');
    }
  })
  .transform(({ audience, loginClaim, name, ...value }): OidcSettings => ({
    ...value,
    name: name ?? new URL(value.issuer).host,
    audiences: audience,
    loginClaims: loginClaim,
    clientId: value.clientId,
    clientSecret: value.clientSecret,
    unit: value.unit,
    profile: value.profile,
    departments: value.departments,
    homeDepartments: value.homeDepartments,
    permissions: value.permissions,
  }));

/** Is it a URL that may hold keys: TLS, or this machine? */
export function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash, username, password } = new URL(text);
  if (search !== '' || hash !== '' || username !== '' || password !== '') return false;
  return (
    protocol === 'https:' ||
    (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname))
  );
}

function splitWords(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
