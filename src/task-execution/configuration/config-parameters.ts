import * as z from 'zod';
import { AppError } from '../../core/errors.ts';
import type { ParameterReader } from '../../core/rest/parameters.ts';
import { parameter } from '../../core/rest/request-schema.ts';
import { valueOf } from '../../core/rest/parameter-values.ts';
import { configTypes, parseConfigTypes, type ConfigType } from './config-types.ts';

/** The documented query parameter. */
export const configRequest = z.object({
  config_type: parameter(
    valueOf(parseConfigTypes, 'a list of types', { type: 'string', default: 'ALL' }),
    {
      in: 'query',
      description:
        'CALENDAR, FEED, ATTACHMENT, SMART_SEARCH, REFRESH, FILTER, FEED_COMPONENT, or ALL; one or a comma-separated list, in any case.',
      example: 'FEED,REFRESH',
    },
  ),
});

/** config_type, ALL by default. Throws E203 (D-11). */
export function readConfigTypes(read: ParameterReader): readonly ConfigType[] {
  const types = read.get(configRequest, 'config_type');
  if (!types && read.sent('config_type')) throw new AppError('E203');
  return types ?? configTypes;
}
