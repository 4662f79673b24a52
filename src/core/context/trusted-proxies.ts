import { BlockList, isIP } from 'node:net';
import { readAddress } from '../address.ts';

/** Is this address, spelled as by readAddress, one of our proxies? */
export type Trusts = (address: string) => boolean;

const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * Reads a comma-separated list of addresses, networks such as 10.0.0.0/8, and the names loopback, linklocal and
 * uniquelocal. Undefined if a part is none of these, or covers every address.
 */
export function parseTrustedProxies(text: string): Trusts | undefined {
  const list = new BlockList();
  for (const part of text.split(',').map((piece) => piece.trim())) {
    for (const network of Object.hasOwn(named, part) ? (named[part] ?? []) : [part])
      if (!addNetwork(list, network)) return undefined;
  }
  return (address) => list.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}

function addNetwork(list: BlockList, network: string): boolean {
  const [base = '', length, more] = network.split('/');
  const family = isIP(base);
  // IPv4 has to be written as IPv4, since addresses are compared in that form.
  const isMapped = family === 6 && !readAddress(base)?.includes(':');
  if (family === 0 || isMapped || more !== undefined) return false;
  const most = family === 4 ? 32 : 128;
  const bits = length === undefined ? most : /^\d{1,3}$/.test(length) ? Number(length) : 0;
  if (bits < 1 || bits > most) return false;
  list.addSubnet(base, bits, family === 4 ? 'ipv4' : 'ipv6');
  return true;
}
