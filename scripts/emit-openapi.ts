// Prints the OpenAPI document that a gateway of these sources serves.
// usage: node --import tsx scripts/emit-openapi.ts > openapi.json
import { describeGateway } from '../src/server/openapi/describe-gateway.ts';
import { routes } from '../src/server/routes/routes.ts';

process.stdout.write(JSON.stringify(describeGateway(routes, '')));
