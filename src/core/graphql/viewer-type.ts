import { builder } from './builder.ts';
import type { Viewer } from '../context/viewer.ts';

/** GraphQL type of the session user; each resource adds its own fields to it. */
export const ViewerRef = builder.objectRef<Viewer>('Viewer').implement({
  description:
    'The signed-in user, and what that user may see. It follows from the session, never from arguments.',
  fields: (t) => ({
    login: t.exposeString('login', { description: 'Login name of the user.' }),
    displayName: t.exposeString('displayName', { description: 'Name of the user for display.' }),
    timeZone: t.exposeString('timeZone', {
      description:
        'IANA time zone in which days and wall times are read and shown, e.g. Europe/Berlin.',
    }),
    langCode: t.exposeString('langCode', {
      description: 'Language of the user, as configured, e.g. en.',
    }),
  }),
});
