// Prints the OpenAPI document that a gateway of these sources serves.
// usage: node --import tsx scripts/emit-openapi.ts > openapi.json
import { dayOf } from '../src/core/time/days.ts';
import { describeGateway } from '../src/server/openapi/describe-gateway.ts';
import { routes } from '../src/server/routes/routes.ts';

process.stdout.write(JSON.stringify(describeGateway(routes, '', dayOf(Date.now()))));
