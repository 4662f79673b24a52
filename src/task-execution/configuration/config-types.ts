import type { ConfigValues } from './config-values.ts';

/**
 * The documented sets of fields of GET /task/v1/config/list: in merge order, and within a set in the document's order
 * (D-10).
 */
export const configFields = {
  CALENDAR: ['default_calendar_view', 'gantt_date_span', 'calendar_setup', 'show_all_days'],
  FEED: [
    'feed_status_data',
    'feed_date_span',
    'sort_order',
    'priority_data',
    'overdue_date_span',
    'allow_bulk_action',
    'no_records',
    'proj_status_css',
    'fyi_config',
    'feed_uiconfig',
    'project_type_data',
    'message_type_data',
  ],
  ATTACHMENT: [
    'max_upload_size',
    'allowed_attachments',
    'comment_max_attach_count',
    'button_max_attach_count',
  ],
  SMART_SEARCH: ['sm_filter'],
  REFRESH: ['feed_refresh_rate', 'msg_refresh_rate'],
  FILTER: [
    'max_filter_name_characters',
    'filter_date_range',
    'max_feed_notes_characters',
    'list_task_limit',
  ],
  FEED_COMPONENT: ['feed_config_details'],
} as const satisfies Record<string, readonly (keyof ConfigValues)[]>;

/** A token of config_type in REST. */
export type ConfigType = keyof typeof configFields;

function isConfigType(name: string): name is ConfigType {
  return Object.hasOwn(configFields, name);
}

/** The seven types in merge order. */
export const configTypes: readonly ConfigType[] = Object.keys(configFields).filter(isConfigType);

/** The types that a `config_type` parameter names, in merge order; undefined when any token is unknown or empty (D-11). */
export function parseConfigTypes(text: string): readonly ConfigType[] | undefined {
  const tokens = text.split(',').map((token) => {
    const name = token.trim();
    // Upper case makes letters of ASCII of others, such as the dotless i.
    return /^[a-z_]+$/i.test(name) ? name.toUpperCase() : '';
  });
  if (!tokens.every((token) => token === 'ALL' || isConfigType(token))) return undefined;
  return configTypes.filter((type) => tokens.includes('ALL') || tokens.includes(type));
}
