import * as z from 'zod';
import { isRecord } from '../../core/json-values.ts';
import { readInput } from '../../core/rest/read-input.ts';
import { describeParameters } from '../../core/rest/describe-parameters.ts';
import { parameter } from '../../core/rest/request-schema.ts';
import { jsonAnswer, type RequestFacts, type Route } from '../../core/rest/route.ts';
import { signInWithToken } from '../oidc/sign-in-with-token.ts';
import { signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';

/** Text that is not empty. */
const filled = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
  .min(1, { error: 'is required' });
const login = filled.max(200, { error: 'is longer than 200 characters' });
const password = filled.max(1_000, { error: 'is longer than 1000 characters' });

const credentials = z.object({
  login: parameter(login, {
    in: 'body',
    required: true,
    description: 'Login name.',
    example: 'associate',
  }),
  password: parameter(password.clone(), {
    in: 'body',
    required: true,
    description: 'Password.',
    example: 'demo',
  }),
  new_password: parameter(password.clone().optional(), {
    in: 'body',
    description:
      'Replaces the password, which a one-time password needs; 12 characters or more. Other sessions end.',
  }),
});

const ID_TOKEN =
  'Instead of login and password: an ID token that a provider of this gateway has just issued. It works once.';

/** Instead of login and password. */
const tokenSent = z.object({
  id_token: parameter(filled, { in: 'body', required: true, description: ID_TOKEN }),
});

/** As documentation: one or the other. */
const either = z.object({
  login: parameter(credentials.shape.login.clone().optional(), {
    in: 'body',
    description: 'Login name. Required, unless id_token is sent.',
    example: 'associate',
  }),
  password: parameter(credentials.shape.password.clone().optional(), {
    in: 'body',
    description: 'Password. Required, unless id_token is sent.',
    example: 'demo',
  }),
  new_password: credentials.shape.new_password,
  id_token: parameter(tokenSent.shape.id_token.clone().optional(), {
    in: 'body',
    description: ID_TOKEN,
  }),
});

/** What a sign-in sends, as GraphQL's field for it takes it. */
async function readSignIn(request: RequestFacts) {
  const body = await request.body();
  const sendsToken =
    body.kind === 'form'
      ? body.form.has('id_token')
      : isRecord(body.json) && 'id_token' in body.json;
  if (sendsToken) {
    const { values, ...input } = await readInput(request, tokenSent);
    return { ...input, field: 'signInWithToken', sent: { idToken: values.id_token } } as const;
  }
  const { values, ...input } = await readInput(request, credentials);
  const { new_password: newPassword, ...sent } = values;
  return { ...input, field: 'signIn', sent: { ...sent, newPassword } } as const;
}

const nothing = z.object({});

export const sessionRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/session',
    operation: 'signIn',
    family: 'task',
    summary:
      'Signs in with login and password, or with the ID token of a provider, and returns a session token.',
    parameters: describeParameters(either),
    answer: jsonAnswer(
      z.object({ status: z.literal('OK'), token: z.string(), expires_at: z.iso.datetime() }),
      {
        status: 'OK',
        token: 'iWjcAcVz8kpFy-SGpWHis6d-oOomW6LrGIhjuSJ9o4s',
        expires_at: '2026-11-21T02:10:11.214Z',
      },
    ),
    errors: ['E202', 'E900'],
    fieldNames: { newPassword: 'new_password' },
    auth: 'none',
    run: async (ctx, request) => {
      const { field, sent, headers } = await readSignIn(request);
      const limits = await ctx.callLimits.takeFrom(ctx.remoteAddress, 'signIns');
      const { token, expiresAt } =
        field === 'signIn' ? await signIn(ctx, sent) : await signInWithToken(ctx, sent);
      return {
        body: JSON.stringify({ status: 'OK', token, expires_at: expiresAt.toISOString() }),
        headers: { ...headers, ...limits },
      };
    },
    explain: async (request) => {
      const { field, sent, ignored } = await readSignIn(request);
      const input =
        field === 'signIn'
          ? { ...sent, password: '…', newPassword: sent.newPassword && '…' }
          : { idToken: '…' };
      return {
        steps: [{ field, args: { input } }],
        select: 'token expiresAt',
        ignored,
        notes: [
          `The ${field === 'signIn' ? 'password' : 'token'} is not repeated here: put it into the variables.`,
        ],
      };
    },
  },
  {
    method: 'DELETE',
    path: '/session',
    operation: 'signOut',
    family: 'task',
    summary: 'Revokes the session of this request.',
    parameters: describeParameters(nothing),
    answer: jsonAnswer(z.object({ status: z.literal('OK'), response: z.string() }), {
      status: 'OK',
      response: 'Signed out',
    }),
    run: async (ctx, request) => {
      const { headers } = await readInput(request, nothing);
      await signOut(ctx);
      return { headers, body: JSON.stringify({ status: 'OK', response: 'Signed out' }) };
    },
    explain: async (request) => {
      const { ignored } = await readInput(request, nothing);
      return { steps: [{ field: 'signOut' }], select: 'signedOut', ignored };
    },
  },
];
