import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto';

/** A certificate that nobody but itself has signed, with its key. */
export function ownCertificate(): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, Buffer.from('06082a8648ce3d040302', 'hex')); // ecdsa-with-SHA256
  const commonName = der(SEQUENCE, Buffer.from('0603550403', 'hex'), der(UTF8, 'trivium.test'));
  const name = der(SEQUENCE, der(SET, commonName));
  const validity = der(SEQUENCE, der(TIME, '200101000000Z'), der(TIME, '491231235959Z'));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const said = der(SEQUENCE, der(INTEGER, '\x01'), algorithm, name, validity, name, spki);
  const signature = der(BITS, '\0', sign('sha256', said, privateKey));
  const certificate = new X509Certificate(der(SEQUENCE, said, algorithm, signature));
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { key, cert: certificate.toString() };
}

const [INTEGER, BITS, UTF8, TIME, SEQUENCE, SET] = [0x02, 0x03, 0x0c, 0x17, 0x30, 0x31];

/** A value of X.690: tag, length and content, of less than 64 kB. */
function der(tag: number, ...parts: (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length =
    content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
