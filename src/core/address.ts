import { isIP, isIPv4, SocketAddress } from 'node:net';

/** An IP address in one spelling, of what a socket or a header of a proxy calls it: without port, brackets and zone, IPv4 where it is IPv4 written as IPv6. Undefined for anything else. */
export function readAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const bare =
    /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([^:]*):\d{1,5}$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/%[\w.-]*$/, '');
  if (isIP(address) !== 6) return isIPv4(address) ? address : undefined;
  const spelled = new SocketAddress({ address, family: 'ipv6' }).address;
  return /^::ffff:([\d.]+)$/.exec(spelled)?.[1] ?? spelled;
}

/** What counts as one place: an IPv4 address, and of IPv6 the network of 64 bits, for a household or a server has all of its addresses. Takes what readAddress returns. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const zeros: string[] =
    tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`;
}
