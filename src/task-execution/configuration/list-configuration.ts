import type { SignedInContext } from '../../core/context/context.ts';
import { configFields, configTypes, type ConfigType } from './config-types.ts';
import { configSchema, configValues, type ConfigValues } from './config-values.ts';
import { readConfiguration, type Configuration, type ConfigScope } from './read-configuration.ts';

/** The requested part of the configuration that applies to the viewer. */
export interface ListedConfiguration {
  /**
   * By documented name, in document order. Values that are not configured and have no documented default are left out.
   */
  values: ConfigValues;
  /** The scope of each configured value. */
  sources: { key: string; scope: ConfigScope }[];
}

/**
 * The merged configuration of the viewer for some of the seven types, always in the documented order (D-10).
 * `sm_filter` requires the permission SMART_SEARCH. GraphQL `viewer.configuration`; REST GET /task/v1/config/list.
 */
export async function listConfiguration(
  ctx: SignedInContext,
  args: { types?: readonly ConfigType[] } = {},
): Promise<ListedConfiguration> {
  const { viewer } = ctx;
  const configuration = await readConfiguration(ctx);
  const wanted = args.types ?? configTypes;
  const keys = configTypes
    .filter(
      (type) =>
        wanted.includes(type) &&
        (type !== 'SMART_SEARCH' || viewer.permissions.has('SMART_SEARCH')),
    )
    .flatMap((type): readonly (keyof ConfigValues)[] => configFields[type]);
  const all = presentable(configuration);
  const values = Object.fromEntries(
    keys.flatMap((key) => (all[key] === undefined ? [] : [[key, all[key]]])),
  );
  const sources = keys.flatMap((key) => {
    const scope = configuration.get(key)?.scope;
    return scope === undefined ? [] : [{ key, scope }];
  });
  return { values, sources };
}

const presented = new WeakMap<Configuration, ConfigValues>();

/**
 * Every value with its type and the documented defaults (D-12). A stored value that is no longer valid counts as not
 * configured.
 */
function presentable(configuration: Configuration): ConfigValues {
  let values = presented.get(configuration);
  if (!values) {
    const usable = [...configuration].flatMap(([key, { value }]) =>
      configValues[key]?.safeParse(value).success ? [[key, value] as const] : [],
    );
    const parsed = configSchema.parse(Object.fromEntries(usable));
    values = {
      ...parsed,
      default_calendar_view: parsed.default_calendar_view ?? '',
      show_all_days: parsed.show_all_days === 'Y' ? 'Y' : null,
      feed_config_details: parsed.feed_config_details ?? [],
    };
    presented.set(configuration, values);
  }
  return values;
}
