import type { JWTPayload } from 'jose';
import type { ClaimRule, OidcSettings } from '../../core/oidc/oidc-settings.ts';
import { filledText, loginField, permissionsField } from '../../core/records/record-fields.ts';

/** What a token says of a user; undefined where the settings have no rule, so that it stays as it is. */
export interface ClaimedUser {
  login: string | undefined;
  /** Whether the provider vouches that the login is an e-mail address of the user. */
  verifiedEmail: boolean;
  displayName: string | undefined;
  domain: string | undefined;
  unit: string | null | undefined;
  profile: string | null | undefined;
  departments: string[] | undefined;
  homeDepartments: string[] | undefined;
  permissions: string[] | undefined;
}

/** Values that are read of one claim. */
const MOST_VALUES = 1_000;
const MOST_PERMISSIONS = 100;

const nameSchema = filledText(200);

/** Reads what the claims of a verified token say, by the rules of its provider. A claim that is not there says: none. */
export function readClaims(settings: OidcSettings, claims: JWTPayload): ClaimedUser {
  const values = (rule: ClaimRule | undefined): string[] | undefined =>
    rule && valuesOf(rule, claims);
  const one = (rule: ClaimRule | undefined): string | null | undefined =>
    rule && (valuesOf(rule, claims)[0] ?? null);
  const permissions = values(settings.permissions)
    ?.filter((name) => permissionsField.safeParse([name]).success)
    .slice(0, MOST_PERMISSIONS);
  const { claim, login } = loginOf(settings, claims);
  return {
    login,
    verifiedEmail: claim === 'email' && isTrue(claims['email_verified']),
    displayName: nameSchema.safeParse(claims['name']).data,
    domain: one(settings.domain) ?? undefined,
    unit: one(settings.unit),
    profile: one(settings.profile),
    departments: values(settings.departments),
    homeDepartments: values(settings.homeDepartments),
    permissions,
  };
}

/** The first claim that holds a login. An address that the provider knows to be unverified is none. */
function loginOf(
  { loginClaims }: OidcSettings,
  claims: JWTPayload,
): { claim: string; login: string | undefined } {
  for (const claim of loginClaims) {
    const isRefuted =
      claim === 'email' &&
      claims['email_verified'] !== undefined &&
      !isTrue(claims['email_verified']);
    const { data: login } = loginField.safeParse(find(claims, claim));
    if (login !== undefined && !isRefuted) return { claim, login };
  }
  return { claim: '', login: undefined };
}

/** Some providers write it as text. */
function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}

function valuesOf(rule: ClaimRule, claims: JWTPayload): string[] {
  if ('fixed' in rule) return [...rule.fixed];
  const said = find(claims, rule.claim);
  const listed = (Array.isArray(said) ? (said as unknown[]) : [said]).slice(0, MOST_VALUES);
  const { map } = rule;
  const values = listed.flatMap((value) => {
    const name = nameSchema.safeParse(value).data;
    if (name === undefined) return [];
    return map ? (Object.hasOwn(map, name) ? (map[name] ?? []) : []) : [name];
  });
  return [...new Set(values)];
}

/** The claim of this name; else, of a name such as `realm_access.roles`, the member of an object. */
function find(claims: object, name: string): unknown {
  const own = (holder: unknown, key: string): unknown =>
    typeof holder === 'object' && holder !== null && Object.hasOwn(holder, key)
      ? (holder as Record<string, unknown>)[key]
      : undefined;
  return (
    own(claims, name) ?? name.split('.').reduce<unknown>((holder, key) => own(holder, key), claims)
  );
}
