import { builder } from '../../core/graphql/builder.ts';
import type { CredentialDates } from './credential-dates.ts';

/** Adds the dates of a credential to its type. */
export function exposeDates(ref: ReturnType<typeof builder.objectRef<CredentialDates>>): void {
  builder.objectFields(ref, (t) => ({
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was issued.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it expires; null if never.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked; null if it was not.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute; null if never.',
    }),
  }));
}
