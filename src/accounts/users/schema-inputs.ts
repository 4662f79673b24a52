import { builder } from '../../core/graphql/builder.ts';
import { mutationInput, type InputBuilder } from '../../core/graphql/mutations.ts';
import { FeedViewEnum } from '../../core/graphql/feed-view.ts';
import { onceADay } from '../../core/graphql/user-errors.ts';

const UserDepartmentInput = builder.inputType('UserDepartmentInput', {
  description: 'A department of a user.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Name of a department of your domain.' }),
    home: t.boolean({
      description: 'Whether it is a home department, whose confidential feeds the user sees.',
    }),
  }),
});

/** What an administrator sets of a user. */
const userFields = (t: InputBuilder) => ({
  displayName: t.string({ description: 'Name for display; by default the login.' }),
  unit: t.string({ description: 'Name of a unit (store) of your domain; null for none.' }),
  profile: t.string({ description: 'Name of a profile of your domain; null for none.' }),
  departments: t.field({
    type: [UserDepartmentInput],
    description: 'All departments of the user; replaces those before.',
  }),
  permissions: t.stringList({
    description:
      'All permissions given to the user, e.g. DOMAIN_ADMIN; replaces those before. Those of the profile stay.',
  }),
  timeZone: t.string({ description: "IANA zone, e.g. Europe/Berlin; null for the unit's." }),
  langCode: t.string({ description: 'Language, e.g. en.' }),
  defaultView: t.field({
    type: FeedViewEnum,
    description: 'The view with which sessions begin; by default MY_VIEW.',
  }),
});

/** GraphQL type CreateUserInput. */
export const CreateUserInput = mutationInput('CreateUserInput', {
  description: 'A new user of your domain, who has no password yet: see setOneTimePassword.',
  fields: (t) => ({
    login: t.string({
      required: true,
      description: 'Login name without spaces; unique, in upper or lower case.',
    }),
    ...userFields(t),
    idempotencyKey: t.string({ description: onceADay }),
  }),
});

/** GraphQL type UpdateUserInput. */
export const UpdateUserInput = mutationInput('UpdateUserInput', {
  description: 'What to change of a user; what is left out stays as it is.',
  fields: (t) => ({
    userId: t.id({ required: true, description: 'The user.' }),
    ...userFields(t),
  }),
});

/** GraphQL type UserIdInput. */
export const UserIdInput = mutationInput('UserIdInput', {
  description: 'A user of your domain.',
  fields: (t) => ({
    userId: t.id({ required: true, description: 'The user.' }),
  }),
});
