/** A statement came after its transaction had ended; it was not run. */
export class TransactionOverError extends Error {
  override name = 'TransactionOverError';

  constructor() {
    super('the transaction is over');
  }
}
