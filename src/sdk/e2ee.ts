/** The package export `trivium/e2ee`: end-to-end encryption of images, for browsers and Node, on WebCrypto alone. */
export { ArchiveFaultError, type ArchiveFault, type FaultKind } from './archive/archive-fault.ts';
export type { ArchiveManifest, ManifestFile } from './archive/archive-manifest.ts';
export { ArchiveError, type ArchiveSource } from './archive/archive-source.ts';
export {
  openArchive,
  type ArchiveFile,
  type ArchiveReport,
  type OpenArchiveOptions,
  type OpenedArchive,
} from './archive/open-archive.ts';
export { assertKey, WrongKeyError, type VerifyChecksum } from './assert-key.ts';
export { ForgedImageError } from './check-proof.ts';
export { checksum, hyphenatedChecksum } from './crypto/checksum.ts';
export { decrypt, encrypt } from './crypto/cipher.ts';
export { CipherError, decryptPieces } from './crypto/decrypt-stream.ts';
export { GatewayError, type Gateway } from './gateway.ts';
export { exportKey, importKey, makeKey, type WorkspaceKey } from './crypto/key.ts';
export { isProven, proveImage, type ProvenImage } from './crypto/image-proof.ts';
export { addToManifest, isInManifest, type Manifest } from './crypto/manifest.ts';
export {
  cancelKeyRotation,
  resumeKeyRotation,
  rotateWorkspaceKey,
  type KeyMove,
  type KeyPair,
} from './rotate-key.ts';
export { makeThumbnail, type Thumbnail } from './thumbnail.ts';
export {
  enableEncryption,
  openWorkspace,
  type EncryptedUpload,
  type OpenedWorkspace,
} from './workspace.ts';
