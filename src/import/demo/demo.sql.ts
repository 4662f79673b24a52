import { statement } from '../../core/sql/statement.ts';
import { bool, int4, nullable } from '../../core/sql/types.ts';

/** What a database holds of the demo, and whether it holds anything. Asked at every start, before Prisma's client is needed. */
export const demoState = statement({
  text: `SELECT EXISTS (SELECT FROM domain) AS occupied, (SELECT id FROM domain WHERE name = 'demo') AS domain_id,
      EXISTS (SELECT FROM api_customer WHERE customer_id = 'demo') AS has_customer`,
  params: {},
  row: { occupied: bool, domainId: nullable(int4), hasCustomer: bool },
});
