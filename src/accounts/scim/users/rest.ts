import { describeParameters } from '../../../core/rest/describe-parameters.ts';
import { jsonAnswer, type ScimRoute } from '../../../core/rest/route.ts';
import { listExample } from '../protocol/list-shape.ts';
import {
  NO_CONTENT,
  presentCreated,
  presentList,
  presentResource,
} from '../protocol/present-resource.ts';
import { patchShape } from '../protocol/read-patch.ts';
import {
  userListParameters,
  newParameters,
  readJson,
  readParameters,
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

const ours = {
  family: 'scim',
  auth: 'scim',
  // What SCIM calls the fields that administrators set.
  fieldNames: {
    login: 'userName',
    unit: 'department',
    langCode: 'locale',
    timeZone: 'timezone',
    userId: 'user',
  },
} as const;
const mediaTypes = ['application/scim+json', 'application/json'] as const;
const userInput = { mediaTypes, schema: userBody, example: userBodyExample };
const ETAG = { ETag: 'The version, to be sent back as If-Match or If-None-Match.' };

export const scimUserRoutes: readonly ScimRoute[] = [
  {
    ...ours,
    method: 'GET',
    path: '/scim/v2/Users',
    operation: 'listScimUsers',
    summary: 'Users of the domain, by id.',
    parameters: describeParameters(userListParameters),
    answer: jsonAnswer(usersShape, listExample(userExample)),
    run: async (ctx, request) => {
      const values = await readParameters(request, userListParameters);
      return presentList(await listScimUsers(ctx, values), {
        ...values,
        resource: (user) => userResource(user, ctx.baseUrl),
      });
    },
  },
  {
    ...ours,
    method: 'POST',
    path: '/scim/v2/Users',
    operation: 'createScimUser',
    summary: 'Creates a user, who has no password.',
    parameters: describeParameters(newParameters),
    body: userInput,
    answer: jsonAnswer(userShape, userExample, { status: 201, headers: ETAG }),
    run: async (ctx, request) => {
      const values = await readParameters(request, newParameters);
      const user = await createScimUser(ctx, { body: await readJson(request) });
      return presentCreated(userResource(user, ctx.baseUrl), values);
    },
  },
  {
    ...ours,
    method: 'GET',
    path: '/scim/v2/Users/{userId}',
    operation: 'readScimUser',
    summary: 'A user.',
    parameters: describeParameters(userParameters),
    mayBeMissing: true,
    answer: jsonAnswer(userShape, userExample, { conditional: true }),
    run: async (ctx, request) => {
      const { userId = '', ...values } = await readParameters(request, userParameters);
      const user = await readScimUser(ctx, { id: userId });
      return presentResource(request, userResource(user, ctx.baseUrl), values);
    },
  },
  {
    ...ours,
    method: 'PUT',
    path: '/scim/v2/Users/{userId}',
    operation: 'replaceScimUser',
    summary: 'Changes a user to what is sent; what is left out stays as it is.',
    parameters: describeParameters(userChangeParameters),
    body: userInput,
    mayBeMissing: true,
    answer: jsonAnswer(userShape, userExample, { headers: ETAG }),
    run: async (ctx, request) => {
      const values = await readParameters(request, userChangeParameters);
      const { userId: id = '', 'If-Match': ifMatch } = values;
      const body = await readJson(request);
      const user = await changeScimUser(ctx, { id, ifMatch, method: 'PUT', body });
      return presentResource(undefined, userResource(user, ctx.baseUrl), values);
    },
  },
  {
    ...ours,
    method: 'PATCH',
    path: '/scim/v2/Users/{userId}',
    operation: 'patchScimUser',
    summary: 'Changes a user by operations; `active` disables and enables.',
    parameters: describeParameters(userChangeParameters),
    body: {
      mediaTypes,
      schema: patchShape,
      example: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'replace', path: 'active', value: false }],
      },
    },
    mayBeMissing: true,
    answer: jsonAnswer(userShape, userExample, { headers: ETAG }),
    run: async (ctx, request) => {
      const values = await readParameters(request, userChangeParameters);
      const { userId: id = '', 'If-Match': ifMatch } = values;
      const body = await readJson(request);
      const user = await changeScimUser(ctx, { id, ifMatch, method: 'PATCH', body });
      return presentResource(undefined, userResource(user, ctx.baseUrl), values);
    },
  },
  {
    ...ours,
    method: 'DELETE',
    path: '/scim/v2/Users/{userId}',
    operation: 'deleteScimUser',
    summary: 'Disables a user and hides them from the directory.',
    parameters: describeParameters(userDeletionParameters),
    mayBeMissing: true,
    answer: { status: 204 },
    run: async (ctx, request) => {
      const { userId = '', 'If-Match': ifMatch } = await readParameters(
        request,
        userDeletionParameters,
      );
      await deleteScimUser(ctx, { id: userId, ifMatch });
      return NO_CONTENT;
    },
  },
];
