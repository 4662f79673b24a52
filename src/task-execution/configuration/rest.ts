import { withETag } from '../../core/rest/etag.ts';
import { ParameterReader } from '../../core/rest/parameters.ts';
import { describeParameters } from '../../core/rest/describe-parameters.ts';
import * as z from 'zod';
import { jsonAnswer, type Route } from '../../core/rest/route.ts';
import { configRequest, readConfigTypes } from './config-parameters.ts';
import { configSchema } from './config-values.ts';
import { explainConfiguration } from './explain-configuration.ts';
import { listConfiguration } from './list-configuration.ts';

/** Values that are not configured are left out. */
const configShape = z.object({
  status: z.literal('OK'),
  config_list: configSchema.omit({ max_refresh_interval: true }).meta({ id: 'Configuration' }),
});

export const configurationRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/task/v1/config/list',
    operation: 'listConfiguration',
    family: 'task',
    summary: 'Returns the merged configuration of the session user.',
    parameters: describeParameters(configRequest),
    answer: jsonAnswer(
      configShape,
      { status: 'OK', config_list: { feed_refresh_rate: 60_000, msg_refresh_rate: 30_000 } },
      { conditional: true },
    ),
    errors: ['E203'],
    run: async (ctx, request) => {
      const read = new ParameterReader(request, request.query);
      const types = readConfigTypes(read);
      read.finish();
      const { values } = await listConfiguration(ctx, { types });
      return withETag(request, {
        headers: read.headers(),
        body: JSON.stringify({ status: 'OK', config_list: values }),
      });
    },
    explain: explainConfiguration,
  },
];
