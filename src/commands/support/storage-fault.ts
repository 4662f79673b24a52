/** The storage has lost or changed stored files. */
export class StorageFaultError extends Error {
  override name = 'StorageFaultError';
}
