import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { costs } from '../../core/graphql/field-cost.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { listConfiguration, type ListedConfiguration } from './list-configuration.ts';
import type { ConfigScope } from './read-configuration.ts';
import { FeedConfig } from './schema-feed-settings.ts';
import {
  AttachmentConfig,
  CalendarConfig,
  FeedComponentConfig,
  FilterConfig,
  RefreshConfig,
} from './schema-settings.ts';

const ConfigScopeEnum = builder.enumType('ConfigScope', {
  description:
    'Scopes of configuration, least specific first. The most specific scope that has a value replaces the whole value.',
  values: {
    SYSTEM: { description: 'Everybody, in every domain.' },
    DOMAIN: { description: 'Everybody in one domain.' },
    PROFILE: { description: 'Users of one profile.' },
    UNIT: { description: 'Users of one unit (store).' },
    DEPT: { description: 'Users of one department.' },
    USER: { description: 'One user.' },
  } satisfies Record<ConfigScope, object>,
});

const ConfigurationSource = builder
  .objectRef<ListedConfiguration['sources'][number]>('ConfigurationSource')
  .implement({
    description: 'The origin of a configured value.',
    fields: (t) => ({
      key: t.exposeString('key', {
        description: 'Documented name of the value, as in config_list, e.g. feed_refresh_rate.',
      }),
      scope: t.expose('scope', {
        type: ConfigScopeEnum,
        description: 'The scope that it comes from.',
      }),
    }),
  });

export const ConfigurationRef = builder.objectRef<ListedConfiguration>('Configuration').implement({
  description:
    'The configuration that applies to you. REST: config_list, where the fields of all types are on one level.',
  fields: (t) => ({
    calendar: t.field({
      type: CalendarConfig,
      description: 'Settings of calendars. REST: config_type CALENDAR.',
      resolve: ({ values }) => values,
    }),
    feed: t.field({
      type: FeedConfig,
      description: 'Settings of feeds. REST: config_type FEED.',
      resolve: ({ values }) => values,
    }),
    attachment: t.field({
      type: AttachmentConfig,
      description: 'Limits of attachments. REST: config_type ATTACHMENT.',
      resolve: ({ values }) => values,
    }),
    smartSearch: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'Settings of the smart search, as configured; null without the permission SMART_SEARCH. REST: sm_filter.',
      resolve: ({ values }) => values.sm_filter,
    }),
    refresh: t.field({
      type: RefreshConfig,
      description: 'How often clients poll. REST: config_type REFRESH.',
      resolve: ({ values }) => values,
    }),
    filter: t.field({
      type: FilterConfig,
      description: 'Limits of filters and notes. REST: config_type FILTER.',
      resolve: ({ values }) => values,
    }),
    feedComponents: t.field({
      type: [FeedComponentConfig],
      extensions: costs({ rows: 20 }),
      description: 'Components of the feed panel, in display order. REST: feed_config_details.',
      resolve: ({ values }) => values.feed_config_details ?? [],
    }),
    sources: t.expose('sources', {
      type: [ConfigurationSource],
      extensions: costs({ rows: 40 }),
      description: 'Scopes that the configured values come from, one per value.',
    }),
  }),
});

builder.objectField(ViewerRef, 'configuration', (t) =>
  t.field({
    type: ConfigurationRef,
    description:
      'Configuration that applies to you, merged from all scopes. REST: /task/v1/config/list.',
    resolve: (_, __, ctx) => listConfiguration(signedIn(ctx)),
  }),
);
