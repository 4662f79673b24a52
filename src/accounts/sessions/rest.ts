import { z } from 'zod';
import { ValidationError } from '../../core/errors.ts';
import { jsonAnswer, type RestBody, type Route } from '../../core/rest/route.ts';
import { signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';

const credentials = z.object({
  login: z.string().min(1).max(200),
  password: z.string().min(1).max(1_000),
});

export const sessionRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/session',
    operation: 'signIn',
    family: 'task',
    summary: 'Signs in with login and password and returns a session token.',
    parameters: [
      {
        name: 'login',
        in: 'body',
        required: true,
        schema: { type: 'string' },
        example: 'associate',
        description: 'Login name.',
      },
      {
        name: 'password',
        in: 'body',
        required: true,
        schema: { type: 'string' },
        example: 'demo',
        description: 'Password.',
      },
    ],
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
      const body = await request.body();
      const parsed = credentials.safeParse(readFields(body));
      if (!parsed.success) {
        throw new ValidationError(
          parsed.error.issues.map((issue) => ({
            path: issue.path.map(String),
            message: issue.message,
            code: issue.code.toUpperCase(),
          })),
        );
      }
      const { token, expiresAt } = await signIn(ctx, parsed.data);
      return {
        body: JSON.stringify({ status: 'OK', token, expires_at: expiresAt.toISOString() }),
        headers: { 'cache-control': 'no-store' },
      };
    },
    explain: async (request) => {
      const body = await request.body();
      const { login } = readFields(body);
      return {
        steps: [
          {
            field: 'signIn',
            args: { input: { login: typeof login === 'string' ? login : '', password: '…' } },
          },
        ],
        select: 'token expiresAt',
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
    parameters: [],
    answer: jsonAnswer(z.object({ status: z.literal('OK'), response: z.string() }), {
      status: 'OK',
      response: 'Signed out',
    }),
    run: async (ctx) => {
      await signOut(ctx);
      return { body: JSON.stringify({ status: 'OK', response: 'Signed out' }) };
    },
    explain: () => ({ steps: [{ field: 'signOut' }], select: 'signedOut' }),
  },
];

/** The fields of a form or a JSON object; none of anything else. */
function readFields(body: RestBody): Readonly<Record<string, unknown>> {
  if (body.kind === 'form') return Object.fromEntries(body.form);
  return typeof body.json === 'object' && body.json !== null ? { ...body.json } : {};
}
