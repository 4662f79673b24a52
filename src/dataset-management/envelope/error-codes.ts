/** Every error code of the dataset paths, with what it means (D-62). */
export const datasetErrorCodes = {
  VALIDATION_ERROR: 'A value is missing or unusable; the message says which.',
  WORKSPACE_ID_REQUIRED: 'workspaceId is missing.',
  INVALID_ID: 'An id is missing or no UUID.',
  WORKSPACE_NOT_FOUND: 'There is no such workspace, or none that you may see.',
  DATASET_NOT_FOUND: 'There is no such dataset, or none that you may see.',
  IMAGE_NOT_FOUND: 'There is no such image, or none that you may see.',
  PROJECT_NOT_FOUND: 'There is no such project, or none that you may see.',
  NAME_REQUIRED: 'The name is missing or blank.',
  NAME_TOO_LONG: 'The name is too long.',
  INVALID_PAGE_SIZE: 'PageSize is not an integer from 1 to 1000.',
  INVALID_PAGE_NUMBER: 'PageNumber is not an integer from 1.',
  DATASET_PUBLISHED: 'The dataset is published: its images are frozen.',
  PROJECT_PUBLISHED: 'The project is published: its classes keep their names.',
  IMAGE_REQUIRED: 'The part Image is missing.',
  FILE_NAME_REQUIRED: 'FileName is missing or blank.',
  INVALID_PATH: 'Path is no relative path of names, separated by slashes.',
  PATH_TAKEN: 'Another image of the dataset, with other content, has this path.',
  INVALID_IMAGE: 'The image is damaged, has too many pixels or takes too long to decode.',
  IMAGE_TOO_LARGE: 'The file has more bytes than MAX_IMAGE_BYTES.',
  UNSUPPORTED_IMAGE_TYPE: 'The bytes are not JPEG, PNG, WebP, GIF, TIFF or AVIF.',
  THUMBNAIL_REQUIRED: 'An encrypted workspace needs the part Thumbnail.',
  DIMENSIONS_REQUIRED: 'An encrypted workspace needs Width and Height, 1 to 100000.',
  NOT_ENCRYPTED_PAYLOAD: 'What was sent to an encrypted workspace is not encrypted as documented.',
  INVALID_CHECKSUM: 'The checksum has not exactly 44 characters.',
  WORKSPACE_NOT_EMPTY:
    'Only a workspace without images, also in versions of datasets, can become encrypted.',
  ALREADY_ENCRYPTED: 'The workspace is encrypted with another key.',
  NOT_ENCRYPTED: 'The workspace is not encrypted.',
  WRONG_KEY: 'This is not the key of the workspace.',
  WRONG_KEY_NUMBER:
    'KeyNumber is not the number of the key under which new images are encrypted, or is missing although the workspace has had several keys.',
  ROTATION_UNDER_WAY: 'The workspace is being moved to another key already.',
  NO_ROTATION: 'The workspace is not being moved to another key.',
  KEY_STILL_USED: 'Images are still encrypted under the key that is being left.',
  IMAGE_CHANGED: 'The image has other bytes by now than those that were to be replaced.',
  WORKSPACE_MISMATCH: 'Project and dataset belong to different workspaces.',
  INVALID_DATA_FILTER: 'dataFilter is not All, Accepted, Annotated or ConfigOnly.',
  UNSUPPORTED_API_VERSION: 'The header api-version names another version than 1.0.',
  UNAUTHORIZED: 'The session token is missing or invalid.',
  FORBIDDEN: 'Your role in the workspace does not allow this.',
  UNKNOWN_PATH: 'There is no such path.',
  METHOD_NOT_ALLOWED: 'The path has other methods: see Allow.',
  RATE_LIMITED: 'Too many calls: see Retry-After.',
  TIMEOUT: 'The request took too long.',
  INTERNAL_ERROR: 'Unexpected server error.',
} as const;

export type DatasetErrorCode = keyof typeof datasetErrorCodes;

export function isDatasetErrorCode(code: string): code is DatasetErrorCode {
  return Object.hasOwn(datasetErrorCodes, code);
}
