/** The package export `trivium/e2ee`: end-to-end encryption of images, for browsers and Node, on WebCrypto alone. */
export { assertKey, WrongKeyError, type VerifyChecksum } from './assert-key.ts';
export { checksum, hyphenatedChecksum } from './checksum.ts';
export { decrypt, encrypt } from './cipher.ts';
export { GatewayError, type Gateway } from './gateway.ts';
export { exportKey, importKey, makeKey, type WorkspaceKey } from './key.ts';
export { addToManifest, isInManifest, type Manifest } from './manifest.ts';
export { makeThumbnail, type Thumbnail } from './thumbnail.ts';
export {
  enableEncryption,
  openWorkspace,
  type EncryptedUpload,
  type OpenedWorkspace,
} from './workspace.ts';
