import { AppError, ForbiddenError, ValidationError } from '../../core/errors.ts';
import { datasetErrorCodes, type DatasetErrorCode } from './error-codes.ts';

/** One refused value. */
export function refusal(
  code: DatasetErrorCode,
  field: string,
  message: string = datasetErrorCodes[code],
): ValidationError {
  return new ValidationError([{ path: [field], message, code }], message);
}

/** A rule of encrypted workspaces is broken (D-69). GraphQL type EncryptionError. */
export class EncryptionError extends AppError {
  override name = 'EncryptionError';

  constructor(
    code:
      | 'INVALID_CHECKSUM'
      | 'WORKSPACE_NOT_EMPTY'
      | 'ALREADY_ENCRYPTED'
      | 'NOT_ENCRYPTED'
      | 'WRONG_KEY'
      | 'WRONG_KEY_NUMBER'
      | 'ROTATION_UNDER_WAY'
      | 'NO_ROTATION'
      | 'KEY_STILL_USED'
      | 'IMAGE_CHANGED'
      | 'THUMBNAIL_REQUIRED'
      | 'DIMENSIONS_REQUIRED'
      | 'NOT_ENCRYPTED_PAYLOAD',
    message: string = datasetErrorCodes[code],
  ) {
    super('E900', { message, graphqlCode: code });
  }
}

/** The images of a published dataset are frozen (D-65). */
export class DatasetPublishedError extends ForbiddenError {
  override name = 'DatasetPublishedError';
  override readonly graphqlCode = 'DATASET_PUBLISHED';

  constructor() {
    super(datasetErrorCodes.DATASET_PUBLISHED);
  }
}

/** The classes of a published project keep their names. */
export class ProjectPublishedError extends ForbiddenError {
  override name = 'ProjectPublishedError';
  override readonly graphqlCode = 'PROJECT_PUBLISHED';

  constructor() {
    super(datasetErrorCodes.PROJECT_PUBLISHED);
  }
}
