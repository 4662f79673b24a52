import type { AppError } from '../../core/errors.ts';
import type { Reply, RouteFamily } from '../../core/rest/route.ts';
import { presentFailure } from '../../dataset-management/envelope/present-failure.ts';
import { presentScimError } from '../../accounts/scim/protocol/present-scim-error.ts';
import { presentProblem } from './present-problem.ts';

/**
 * The error body of a REST path, in the format of its document; some documents give the code of "no data" another name
 * (D-01).
 */
export function presentError(
  family: RouteFamily,
  error: AppError,
  requestId = '',
  noDataKey: 'errorCode' | 'error_code' = 'errorCode',
): Reply {
  switch (family) {
    case 'dataset':
      return presentFailure(error);
    case 'tracker':
      return presentProblem(error, requestId);
    case 'scim':
      return presentScimError(error);
    case 'task': {
      const noData = error.code === 'E404' && error.status === 200;
      const body = JSON.stringify({
        status: 'ER',
        [noData ? noDataKey : 'errorCode']: error.code,
        response: noData ? 'No data found' : error.message,
      });
      return {
        status: error.status,
        headers: { ...error.headers, 'x-error-code': error.code },
        body,
      };
    }
  }
}
