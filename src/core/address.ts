import { isIP, isIPv4, SocketAddress } from 'node:net';

/**
 * An IP address in one canonical spelling, from the text of a socket or of a proxy's header: without port, brackets and
 * zone, and an IPv4 address mapped to IPv6 as IPv4. Undefined for anything else.
 */
export function readAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const bare =
    /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([^:]*):\d{1,5}$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/%[\w.-]*$/, '');
  if (isIP(address) !== 6) return isIPv4(address) ? address : undefined;
  const spelled = new SocketAddress({ address, family: 'ipv6' }).address;
  return /^::ffff:([\d.]+)$/.exec(spelled)?.[1] ?? spelled;
}

/**
 * What counts as one client address: an IPv4 address, or for IPv6 the /64 network, because one household or server owns
 * all of its addresses. Takes what readAddress returns.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const zeros: string[] =
    tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`;
}
