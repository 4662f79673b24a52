import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { connectionType, relayPage } from '../../core/graphql/connections.ts';
import { FeedViewEnum } from '../../core/graphql/feed-view.ts';
import { costs } from '../../core/graphql/field-cost.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { pageFromConnectionArgs } from '../../core/lists/pagination.ts';
import { listUsers } from './list-users.ts';
import { loadUser } from './load-user.ts';
import type { User } from './user.ts';

const UserDepartment = builder.objectRef<User['departments'][number]>('UserDepartment').implement({
  description: 'A department of a user.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the department.' }),
    home: t.exposeBoolean('home', {
      description: 'Whether it is a home department, whose confidential feeds the user sees.',
    }),
  }),
});

/** GraphQL type User. */
export const UserRef = builder.objectRef<User>('User');

builder.node(UserRef, {
  description: 'A user of your domain, as administrators see them.',
  id: { resolve: ({ id }) => id },
  brandLoadedObjects: true,
  loadOne: (id, ctx) => loadUser(signedIn(ctx), id),
  fields: (t) => ({
    login: t.exposeString('login', { description: 'Login name, in lower case.' }),
    displayName: t.exposeString('displayName', { description: 'Name for display.' }),
    unit: t.exposeString('unit', { nullable: true, description: 'Name of the unit (store).' }),
    profile: t.exposeString('profile', { nullable: true, description: 'Name of the profile.' }),
    departments: t.expose('departments', {
      type: [UserDepartment],
      extensions: costs({ rows: 5 }),
      description: 'Departments, by name.',
    }),
    permissions: t.exposeStringList('permissions', {
      description: 'Permissions given to the user; those of the profile come in addition.',
    }),
    timeZone: t.exposeString('timeZone', {
      nullable: true,
      description: "IANA zone of the user; null for the unit's.",
    }),
    langCode: t.exposeString('langCode', { description: 'Language, e.g. en.' }),
    defaultView: t.expose('defaultView', {
      type: FeedViewEnum,
      description: 'The view with which sessions begin.',
    }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the user was disabled; null for users who may sign in.',
    }),
    hasPassword: t.exposeBoolean('hasPassword', {
      description: 'Whether the user can sign in with a password.',
    }),
    oneTimePasswordUntil: t.expose('oneTimeUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when a one-time password that was not replaced yet can be used.',
    }),
  }),
});

const { connection: UserConnection } = connectionType('User', UserRef);

builder.objectField(ViewerRef, 'users', (t) =>
  t.connection(
    {
      type: UserRef,
      description:
        'Users of your domain, ordered by login; by default 20 per page. Needs the permission DOMAIN_ADMIN.',
      args: {
        search: t.arg.string({
          description: 'Part of the login or the name, in upper or lower case.',
        }),
        disabled: t.arg.boolean({ description: 'Only users who are disabled, or only others.' }),
      },
      resolve: (_, { search, disabled, ...args }, ctx) =>
        relayPage(
          listUsers(signedIn(ctx), { search, disabled, page: pageFromConnectionArgs(args) }),
        ),
    },
    UserConnection,
  ),
);
