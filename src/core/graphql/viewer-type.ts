import { builder } from './builder.ts';
import type { Viewer } from '../context/viewer.ts';

/** GraphQL type of the session user; each resource adds its own fields to it. */
export const ViewerRef = builder.objectRef<Viewer>('Viewer').implement({
  description: 'The session user. Identity never comes from arguments.',
  fields: (t) => ({
    login: t.exposeString('login', { description: 'Login name of the session.' }),
    displayName: t.exposeString('displayName', { description: 'Name for display.' }),
    timeZone: t.exposeString('timeZone', {
      description: 'IANA zone of days and wall times.',
    }),
    langCode: t.exposeString('langCode', {
      description: 'Language of the user, as configured, e.g. en.',
    }),
  }),
});
