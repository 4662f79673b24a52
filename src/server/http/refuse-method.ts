import { AppError } from '../../core/errors.ts';

/** The failure of a request whose path has only these methods. */
export function refuseMethod(allow: string, graphqlCode = 'METHOD_NOT_ALLOWED'): AppError {
  return new AppError('E900', {
    status: 405,
    message: `Allowed methods: ${allow}`,
    graphqlCode,
    headers: { allow },
  });
}
