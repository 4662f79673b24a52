import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/core/context/config.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-oidc-'));
afterAll(() => rmSync(folder, { recursive: true }));

const issuer = 'https://sso.test/realms/acme';
const good = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'trivium', OIDC_DOMAIN: 'acme' };
const faultOf = (env: Record<string, string>): string => {
  try {
    readConfig(env);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return error instanceof Error ? error.message : '';
  }
};

it('reads one provider from the environment', () => {
  const env = {
    ...{ ...good, OIDC_AUDIENCE: 'a, b', OIDC_PROVISION: 'true', OIDC_UNIT: 'claim:store' },
    ...{ OIDC_DEPARTMENTS: 'Bakery,Office', OIDC_LOGIN_CLAIM: 'upn' },
  };
  expect(readConfig(env).oidc).toMatchObject([
    {
      ...{ id: 'sso', name: 'sso.test', issuer, audiences: ['a', 'b'], provision: true },
      ...{ loginClaims: ['upn'], link: 'verified-email', scope: 'openid profile email' },
      ...{ domain: { fixed: ['acme'] }, unit: { claim: 'store' }, permissions: undefined },
      departments: { fixed: ['Bakery', 'Office'] },
    },
  ]);
  expect(readConfig({})).toMatchObject({ oidc: [], passwordSignIn: true });
});

it.each([
  [{ ...good, OIDC_ISSUER: 'http://sso.test' }, /^OIDC_ISSUER: expected an https:\/\/ URL/],
  [{ ...good, OIDC_ISSUER: 'https://me:pw@sso.test' }, /^OIDC_ISSUER: expected an https:\/\/ URL/],
  [{ OIDC_CLIENT_ID: 'x', OIDC_DOMAIN: 'acme' }, /^OIDC_ISSUER: expected to be set$/],
  [{ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'x' }, /^OIDC_DOMAIN: expected to be set$/],
  [{ OIDC_ISSUER: issuer, OIDC_DOMAIN: 'acme' }, /^OIDC_AUDIENCE: .*OIDC_CLIENT_ID/],
  [{ ...good, OIDC_DOMAIN: 'a,b' }, /^OIDC_DOMAIN: expected one name$/],
  [{ ...good, OIDC_DEPARTMENTS: 'claim: ' }, /^OIDC_DEPARTMENTS: expected .*claim:<name>$/],
  [{ ...good, OIDC_AUTHORIZED_PARTIES: ',' }, /^OIDC_AUTHORIZED_PARTIES: expected values/],
  [{ ...good, OIDC_AUDIENCE: ' , ' }, /^OIDC_AUDIENCE: expected values separated by commas$/],
  [{ ...good, OIDC_LINK: 'always' }, /^OIDC_LINK: expected one of/],
  [
    { ...good, OIDC_NAME: 'x'.repeat(501) },
    /^OIDC_NAME: expected string to have <=500 characters$/m,
  ],
  [{ ...good, OIDC_SCOPE: 'profile' }, /^OIDC_SCOPE: /],
  [{ OIDC_PROVISION: 'true' }, /^OIDC_PROVISION: expected OIDC_ISSUER or OIDC_FILE/],
  [{ PASSWORD_SIGN_IN: 'false' }, /^PASSWORD_SIGN_IN: expected OIDC_ISSUER or OIDC_FILE/],
  [{ OIDC_FILE: '/nowhere', OIDC_NAME: 'x' }, /^OIDC_NAME: expected not to be set together/],
  [{ OIDC_FILE: '/nowhere' }, /^OIDC_FILE: expected a file that can be read: ENOENT/],
])('refuses %j', (env, fault) => expect(faultOf(env)).toMatch(fault));

it('tells no secret', () => {
  const text = faultOf({
    ...{ OIDC_ISSUER: 'x', OIDC_DOMAIN: 'acme', OIDC_CLIENT_SECRET: 'very secret' },
  });
  expect(text).toContain('OIDC_CLIENT_SECRET: expected OIDC_CLIENT_ID to be set too');
  expect(text).not.toContain('very secret');
});

it('reads several providers from a file', () => {
  const file = join(folder, 'providers.json');
  const write = (content: unknown): string => {
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };
  const entry = { issuer, clientId: 'x', domain: 'acme' };
  const other = { ...entry, id: 'other', issuer: 'https://other.test', provision: false };
  write([{ ...entry, departments: { claim: 'groups', map: { g: ['Bakery'] } } }, other]);
  expect(readConfig({ OIDC_FILE: file, OIDC_PROVISION: 'true' }).oidc).toMatchObject([
    { id: 'sso', provision: true, departments: { claim: 'groups', map: { g: ['Bakery'] } } },
    { id: 'other', provision: false },
  ]);
  for (const [content, fault] of [
    ['{', /expected JSON/],
    [{}, /expected a list/],
    [[], /expected a list/],
    [[entry, { ...other, id: 'sso' }], /a different id/],
    [[entry, { ...entry, id: 'b' }], /a different issuer/],
    [[{ ...entry, id: 'A/B' }], /\[0\]\.id: expected lower-case letters/],
    [[entry, { ...other, colour: 1 }], /\[1\]: expected no member "colour"/],
    [[7], /\[0\]: expected object/],
  ] as const)
    expect(faultOf({ OIDC_FILE: write(content) })).toMatch(fault);
});
