import { builder } from '../../../core/graphql/builder.ts';
import type { Person } from './load-person.ts';

/** GraphQL type Person. */
export const PersonRef = builder.objectRef<Person>('Person').implement({
  description: 'A user of your domain, by name; also one who is no member any more.',
  fields: (t) => ({
    login: t.exposeString('login', { description: 'Login.' }),
    displayName: t.exposeString('displayName', { description: 'Name for display.' }),
  }),
});
