import { z } from 'zod';
import { readInput } from '../../core/rest/read-input.ts';
import { describeParameters } from '../../core/rest/describe-parameters.ts';
import { parameter } from '../../core/rest/request-schema.ts';
import { jsonAnswer, type Route } from '../../core/rest/route.ts';
import { signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';

const credentials = z.object({
  login: parameter(z.string().min(1).max(200), {
    in: 'body',
    required: true,
    description: 'Login name.',
    example: 'associate',
  }),
  password: parameter(z.string().min(1).max(1_000), {
    in: 'body',
    required: true,
    description: 'Password.',
    example: 'demo',
  }),
  new_password: parameter(z.string().min(1).max(1_000).optional(), {
    in: 'body',
    description:
      'Replaces the password, which a one-time password needs; 12 characters or more. Other sessions end.',
  }),
});

const nothing = z.object({});

export const sessionRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/session',
    operation: 'signIn',
    family: 'task',
    summary: 'Signs in with login and password and returns a session token.',
    parameters: describeParameters(credentials),
    answer: jsonAnswer(
      z.object({ status: z.literal('OK'), token: z.string(), expires_at: z.iso.datetime() }),
      {
        status: 'OK',
        token: 'iWjcAcVz8kpFy-SGpWHis6d-oOomW6LrGIhjuSJ9o4s',
        expires_at: '2026-11-21T02:10:11.214Z',
      },
    ),
    errors: ['E202', 'E900'],
    auth: 'none',
    run: async (ctx, request) => {
      const { values, headers } = await readInput(request, credentials);
      const { new_password: newPassword, ...credentialsSent } = values;
      const { token, expiresAt } = await signIn(ctx, { ...credentialsSent, newPassword });
      return {
        body: JSON.stringify({ status: 'OK', token, expires_at: expiresAt.toISOString() }),
        headers: { ...headers, 'cache-control': 'no-store' },
      };
    },
    explain: async (request) => {
      const { values, ignored } = await readInput(request, credentials);
      const input = {
        login: values.login,
        password: '…',
        ...(values.new_password !== undefined && { newPassword: '…' }),
      };
      return {
        steps: [{ field: 'signIn', args: { input } }],
        select: 'token expiresAt',
        ignored,
        notes: ['The password is not repeated here: put it into the variables.'],
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
