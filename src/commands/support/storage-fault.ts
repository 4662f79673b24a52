/** The storage has lost or changed what it was given. */
export class StorageFaultError extends Error {
  override name = 'StorageFaultError';
}
