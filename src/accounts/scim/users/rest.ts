import { jsonAnswer, type ScimRoute } from '../../../core/rest/route.ts';
import { listExample } from '../protocol/list-shape.ts';
import {
  ETAG,
  NO_CONTENT,
  presentCreated,
  presentList,
  presentResource,
} from '../protocol/present-resource.ts';
import {
  userListParameters,
  newParameters,
  patchBody,
  readJson,
  scimBody,
  scimRoute,
  userChangeParameters,
  userDeletionParameters,
  userParameters,
} from '../protocol/scim-parameters.ts';
import { changeScimUser } from './change-scim-user.ts';
import { createScimUser } from './create-scim-user.ts';
import { deleteScimUser } from './delete-scim-user.ts';
import { listScimUsers } from './list-scim-users.ts';
import { readScimUser } from './read-scim-user.ts';
import { userResource } from './user-resource.ts';
import { userBody, userBodyExample, userExample, userShape, usersShape } from './user-shape.ts';

/** What SCIM calls the fields that administrators set. */
const fieldNames = {
  login: 'userName',
  unit: 'department',
  langCode: 'locale',
  timeZone: 'timezone',
  userId: 'user',
};
const userInput = scimBody(userBody, userBodyExample);

export const scimUserRoutes: readonly ScimRoute[] = [
  scimRoute({
    fieldNames,
    method: 'GET',
    path: '/scim/v2/Users',
    operation: 'listScimUsers',
    summary: 'Users of the domain, by id.',
    request: userListParameters,
    answer: jsonAnswer(usersShape, listExample(userExample)),
    run: async (ctx, values) =>
      presentList(await listScimUsers(ctx, values), {
        ...values,
        resource: (user) => userResource(user, ctx.baseUrl),
      }),
  }),
  scimRoute({
    fieldNames,
    method: 'POST',
    path: '/scim/v2/Users',
    operation: 'createScimUser',
    summary: 'Creates a user, who has no password.',
    request: newParameters,
    body: userInput,
    answer: jsonAnswer(userShape, userExample, { status: 201, headers: ETAG }),
    run: async (ctx, values, request) => {
      const user = await createScimUser(ctx, { body: await readJson(request) });
      return presentCreated(userResource(user, ctx.baseUrl), values);
    },
  }),
  scimRoute({
    fieldNames,
    method: 'GET',
    path: '/scim/v2/Users/{userId}',
    operation: 'readScimUser',
    summary: 'A user.',
    request: userParameters,
    mayBeMissing: true,
    answer: jsonAnswer(userShape, userExample, { conditional: true }),
    run: async (ctx, { userId: id = '', ...values }, request) => {
      const user = await readScimUser(ctx, { id });
      return presentResource(request, userResource(user, ctx.baseUrl), values);
    },
  }),
  scimRoute({
    fieldNames,
    method: 'PUT',
    path: '/scim/v2/Users/{userId}',
    operation: 'replaceScimUser',
    summary: 'Changes a user to what is sent; what is left out stays as it is.',
    request: userChangeParameters,
    body: userInput,
    mayBeMissing: true,
    answer: jsonAnswer(userShape, userExample, { headers: ETAG }),
    run: async (ctx, { userId: id = '', 'If-Match': ifMatch, ...values }, request) => {
      const body = await readJson(request);
      const user = await changeScimUser(ctx, { id, ifMatch, method: 'PUT', body });
      return presentResource(undefined, userResource(user, ctx.baseUrl), values);
    },
  }),
  scimRoute({
    fieldNames,
    method: 'PATCH',
    path: '/scim/v2/Users/{userId}',
    operation: 'patchScimUser',
    summary: 'Changes a user by operations; `active` disables and enables.',
    request: userChangeParameters,
    body: patchBody({ op: 'replace', path: 'active', value: false }),
    mayBeMissing: true,
    answer: jsonAnswer(userShape, userExample, { headers: ETAG }),
    run: async (ctx, { userId: id = '', 'If-Match': ifMatch, ...values }, request) => {
      const body = await readJson(request);
      const user = await changeScimUser(ctx, { id, ifMatch, method: 'PATCH', body });
      return presentResource(undefined, userResource(user, ctx.baseUrl), values);
    },
  }),
  scimRoute({
    fieldNames,
    method: 'DELETE',
    path: '/scim/v2/Users/{userId}',
    operation: 'deleteScimUser',
    summary: 'Disables a user and hides them from the directory.',
    request: userDeletionParameters,
    mayBeMissing: true,
    answer: { status: 204 },
    run: async (ctx, { userId: id = '', 'If-Match': ifMatch }) => {
      await deleteScimUser(ctx, { id, ifMatch });
      return NO_CONTENT;
    },
  }),
];
