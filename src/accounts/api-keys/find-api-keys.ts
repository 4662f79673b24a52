import type { Services } from '../../core/context/context.ts';
import { Params } from '../../core/lists/pagination.ts';
import { API_KEY_COLUMNS, apiKeyFromCells, type ApiKey } from './api-key.ts';

/** API keys, dead ones too, the newest of a customer first; without asking for permissions: for operators (`trivium api-key list`) and behind the guard of listApiKeys. */
export async function findApiKeys(
  services: Pick<Services, 'db'>,
  args: {
    domainId?: number | undefined;
    customerId?: string | undefined;
    /** Id or prefix. */ key?: string;
  },
): Promise<ApiKey[]> {
  const params = new Params();
  const conditions = [
    ...(args.domainId === undefined ? [] : [`c.domain_id = ${params.add(args.domainId)}::int`]),
    ...(args.customerId === undefined ? [] : [`c.customer_id = ${params.add(args.customerId)}`]),
    ...(args.key === undefined
      ? []
      : [`${params.add(args.key)} IN (k.id::text, 'ttk_' || k.prefix)`]),
  ];
  const rows = await services.db.rows(
    `SELECT ${API_KEY_COLUMNS} FROM api_key k JOIN api_customer c ON c.customer_id = k.customer_id
     ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`} ORDER BY k.customer_id, k.created_at DESC, k.id LIMIT 1000`,
    params.values,
  );
  return rows.map(apiKeyFromCells);
}
