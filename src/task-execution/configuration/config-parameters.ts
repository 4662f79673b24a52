import { AppError } from '../../core/errors.ts';
import type { ParameterReader } from '../../core/rest/parameters.ts';
import { parseConfigTypes, type ConfigType } from './config-types.ts';

/** config_type, ALL by default. Throws E203 (D-11). */
export function readConfigTypes(read: ParameterReader): readonly ConfigType[] {
  const given = read.text('config_type') ?? (read.sent('config_type') ? '' : 'ALL');
  const types = parseConfigTypes(given);
  if (!types) throw new AppError('E203');
  return types;
}
