/** What can be wrong with an archive or a file in it. */
export type FaultKind =
  /** There is no manifest, or no signature of it. */
  | 'UNSIGNED'
  /** The manifest was changed after it was signed, or the signature is damaged. */
  | 'BAD_SIGNATURE'
  /** The manifest is signed, but by another key than was expected. */
  | 'OTHER_SIGNER'
  /** The bytes differ from those listed, or can't be read. */
  | 'ALTERED'
  /** The bytes are those of another file on the list. */
  | 'SWAPPED'
  /** It is on the list, but not in the archive. */
  | 'LEFT_OUT'
  /** It is in the archive, but not on the list. */
  | 'ADDED'
  /** The archive has several files of this name. */
  | 'DUPLICATE'
  /** No holder of the key put these bytes in this place: the gateway delivered something else. */
  | 'FORGED'
  /** None of the given keys opens it. */
  | 'NO_KEY';

/** One fault: which file, and what is wrong with it. */
export interface ArchiveFault {
  kind: FaultKind;
  /** As in the archive, or on the list for one that was left out. */
  path: string;
  /** In words, for people. */
  message: string;
  /** Where the bytes belong, if they are those of another file on the list. */
  contentOf?: string;
}

/** A file of an archive is not what the manifest says, or can't be decrypted; its bytes must not be used. */
export class ArchiveFaultError extends Error {
  override name = 'ArchiveFaultError';
  readonly fault: ArchiveFault;

  constructor(fault: ArchiveFault) {
    super(`${fault.path}: ${fault.message}`);
    this.fault = fault;
  }
}
