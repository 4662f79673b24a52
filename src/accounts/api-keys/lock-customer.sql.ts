import { statement } from '../../core/sql/statement.ts';
import { int4, text } from '../../core/sql/types.ts';

/** A customer, locked until the end of the transaction. */
export const lockCustomer = statement({
  text: 'SELECT domain_id FROM api_customer WHERE customer_id = $customerId FOR UPDATE',
  params: { customerId: text },
  row: { domainId: int4 },
});
