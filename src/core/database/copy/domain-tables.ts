/** How the rows of a table belong to a domain: a column of theirs names a row of another table that does. */
export interface Belongs {
  /** `domain`, or a table that stands above. */
  to: string;
  column: string;
  /** Only the rows with this name in a column, where one column names rows of several tables. */
  only?: readonly [column: string, name: string];
  /** What stands before the key in the column. */
  prefix?: string;
  /** Only the lists of feeds that have this number times ten. */
  lists?: number;
}

/** A table with rows of domains. */
export interface DomainTable {
  name: string;
  /** Its primary key. */
  key: readonly string[];
  belongs: readonly Belongs[];
  /** Type of the key, where others belong to the rows. */
  keyType?: 'int4' | 'int8' | 'uuid' | 'text';
  /** Columns that are an installation's own, or kept by triggers: they are not copied. */
  own?: readonly string[];
  /** The column that names a file in the storage. */
  file?: string;
  /** The first segment of the keys of these files, if it is not the key of the row that theirs belongs to. */
  folder?: string;
  /** Rows are made by triggers or of no meaning elsewhere: deleted with the domain, but not copied. */
  derived?: true;
}

const of = (to: string, column = `${to}_id`): Belongs => ({ to, column });
const scope = (to: string): Belongs => ({
  to,
  column: 'scope_id',
  only: ['scope', to.toUpperCase()],
});
const subject = (to: string): Belongs => ({
  to,
  column: 'subject_id',
  only: ['subject_type', to.toUpperCase()],
});

/** The lists of a department and of a unit that are counted. */
const counted: readonly Belongs[] = [
  { to: 'dept', column: 'subject_id', lists: 2 },
  { to: 'unit', column: 'subject_id', lists: 3 },
  { to: 'dept', column: 'subject_id', lists: 4 },
  { to: 'unit', column: 'subject_id', lists: 5 },
];

/**
 * Every table with rows of domains, those that others refer to first: rows are inserted in this order and deleted in the
 * opposite one. test/cells/domain-tables.test.ts compares it with schema.prisma, so that no table is forgotten.
 */
export const domainTables: readonly DomainTable[] = [
  {
    name: 'domain',
    key: ['id'],
    keyType: 'int4',
    belongs: [],
    own: ['state', 'arrival', 'arrived_at'],
  },
  {
    name: 'change_log',
    key: ['domain_id', 'xid', 'seq'],
    belongs: [of('domain')],
    // Positions in the log of another database are refused.
    derived: true,
  },
  { name: 'unit', key: ['id'], keyType: 'int4', belongs: [of('domain')] },
  { name: 'dept', key: ['id'], keyType: 'int4', belongs: [of('domain')] },
  { name: 'profile', key: ['id'], keyType: 'int4', belongs: [of('domain')] },
  { name: 'user', key: ['id'], keyType: 'int4', belongs: [of('domain')] },
  { name: 'user_dept', key: ['user_id', 'dept_id'], belongs: [of('user')] },
  {
    name: 'permission_grant',
    key: ['subject_type', 'subject_id', 'permission'],
    belongs: [subject('user'), subject('profile')],
  },
  {
    name: 'config_entry',
    key: ['scope', 'scope_id', 'key'],
    // Those of SYSTEM are the installation's.
    belongs: [scope('domain'), scope('profile'), scope('unit'), scope('dept'), scope('user')],
  },
  // A position in the log of this server alone.
  { name: 'session', key: ['id'], belongs: [of('user')], own: ['written_lsn'] },
  { name: 'scim_token', key: ['id'], belongs: [of('domain')] },
  { name: 'user_identity', key: ['issuer', 'subject'], belongs: [of('user')] },
  { name: 'sign_in_place', key: ['user_id', 'network'], belongs: [of('user')] },
  { name: 'system_filter', key: ['domain_id', 'filter_id'], belongs: [of('domain')] },
  {
    name: 'feed_count',
    key: ['list', 'subject_id', 'level', 'period', 'priority_sort', 'confidential_dept'],
    belongs: counted,
    derived: true,
  },
  // Stands below, so it is deleted first: what is folded meanwhile goes with the sums.
  {
    name: 'feed_count_delta',
    key: ['list', 'subject_id', 'id'],
    belongs: counted,
    derived: true,
  },
  { name: 'feed', key: ['feed_key'], keyType: 'int8', belongs: [of('domain')] },
  {
    name: 'feed_listing',
    key: ['list', 'subject_id', 'feed_key'],
    belongs: [of('feed', 'feed_key')],
    derived: true,
  },
  { name: 'feed_assignment', key: ['id'], belongs: [of('feed', 'feed_key')] },
  { name: 'feed_user_state', key: ['user_id', 'feed_key'], belongs: [of('feed', 'feed_key')] },
  { name: 'feed_attribute', key: ['id'], belongs: [of('feed', 'feed_key')] },
  { name: 'feed_tag', key: ['feed_key', 'tag_fold'], belongs: [of('feed', 'feed_key')] },
  { name: 'api_customer', key: ['customer_id'], keyType: 'text', belongs: [of('domain')] },
  { name: 'api_key', key: ['id'], belongs: [of('api_customer', 'customer_id')] },
  { name: 'task_template', key: ['id'], belongs: [of('domain')] },
  { name: 'external_task', key: ['id'], belongs: [of('feed', 'feed_key')] },
  {
    name: 'idempotency_record',
    key: ['scope', 'operation', 'key'],
    belongs: [
      { to: 'user', column: 'scope', prefix: 'user:' },
      { to: 'api_customer', column: 'scope', prefix: 'customer:' },
    ],
  },
  { name: 'audit_log', key: ['id'], belongs: [of('domain')] },
  { name: 'legacy_usage', key: ['id'], belongs: [of('domain')] },
  { name: 'leadership_category', key: ['id'], belongs: [of('domain')] },
  { name: 'leadership_legend', key: ['id'], belongs: [of('domain')] },
  { name: 'feed_legend', key: ['feed_key'], belongs: [of('feed', 'feed_key')] },
  { name: 'calendar_note', key: ['notes_id'], belongs: [of('user')] },
  { name: 'monthly_note', key: ['notes_id'], belongs: [of('domain')] },
  { name: 'calendar_subscription', key: ['id'], belongs: [of('user')] },
  { name: 'workspace', key: ['id'], keyType: 'uuid', belongs: [of('domain')] },
  { name: 'workspace_member', key: ['workspace_id', 'user_id'], belongs: [of('workspace')] },
  { name: 'blob', key: ['id'], belongs: [of('workspace')], file: 'storage_key' },
  { name: 'dataset', key: ['id'], keyType: 'uuid', belongs: [of('workspace')] },
  { name: 'dataset_version', key: ['id'], keyType: 'uuid', belongs: [of('dataset')] },
  {
    name: 'version_tree',
    key: ['version_id', 'of_id'],
    belongs: [of('dataset_version', 'version_id')],
  },
  { name: 'frozen_chunk', key: ['id'], belongs: [of('dataset')] },
  { name: 'frozen_item', key: ['id'], belongs: [of('dataset')] },
  // A trigger counts the annotations as they come.
  {
    name: 'image',
    key: ['id'],
    keyType: 'uuid',
    belongs: [of('dataset')],
    own: ['annotation_count'],
  },
  { name: 'project', key: ['id'], keyType: 'uuid', belongs: [of('workspace')] },
  { name: 'project_dataset', key: ['project_id', 'dataset_id'], belongs: [of('project')] },
  { name: 'project_member', key: ['project_id', 'user_id'], belongs: [of('project')] },
  { name: 'annotation_class', key: ['id'], belongs: [of('project')] },
  { name: 'annotation', key: ['id'], belongs: [of('image')] },
  // Written by a trigger.
  {
    name: 'image_review',
    key: ['project_id', 'image_id'],
    belongs: [of('image')],
    own: ['changed_xid'],
  },
  {
    name: 'export_job',
    key: ['id'],
    belongs: [of('project')],
    file: 'storage_key',
    folder: 'exports',
  },
  {
    name: 'annotation_import',
    key: ['id'],
    belongs: [of('project')],
    file: 'storage_key',
    folder: 'imports',
  },
];

/** The tables that belong to no domain, and why. */
export const installationTables: Readonly<Record<string, string>> = {
  installation_secret:
    'from it the keys that sign archives are derived: those of a domain move with its workspaces',
  cell: 'the number of this database',
  rate_limit: 'counters of seconds to hours, which expire by themselves',
  change_mark: 'instants of this database',
  change_log_state: 'the log of this database',
};

/** The tables that are copied, in the order of their rows. */
export const copiedTables = domainTables.filter(({ derived }) => !derived);

/** The table of a name. Throws for another one. */
export function tableOf(name: string): DomainTable {
  const table = domainTables.find((one) => one.name === name);
  if (!table) throw new Error(`no table ${name} has rows of domains`);
  return table;
}

/** The tables whose rows belong to those of a table, each with how. */
export function belongingTo(name: string): { table: DomainTable; how: Belongs }[] {
  return domainTables.flatMap((table) =>
    table.belongs.filter(({ to }) => to === name).map((how) => ({ table, how })),
  );
}
