import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import parseForwarded from 'forwarded-parse';
import { readAddress } from '../../core/address.ts';
import type { Config } from '../../core/context/config.ts';
import type { Log } from '../../core/log.ts';
import type { Trusts } from '../../core/context/trusted-proxies.ts';
import { isHost } from './parse-target.ts';

/** The client of a request, behind the proxies that TRUSTED_PROXIES lists. */
export interface Client {
  /** Address, for rate limits and logs. */
  address: string;
  /** Scheme, host and BASE_PATH under which the client reached the gateway. */
  baseUrl: string;
}

export type ReadClient = (request: IncomingMessage) => Client;

/**
 * Makes the function that identifies the client of a request. Proxy headers count only if the connection comes from a
 * trusted proxy; the first such header from anybody else is logged.
 */
export function createClientReader(config: Config, log: Log): ReadClient {
  const { trusts, publicUrl, basePath } = config;
  let told = false;
  return (request) => {
    const { headers, socket } = request;
    const direct = `http://${headers.host ?? 'localhost'}${basePath}`;
    const peer = readAddress(socket.remoteAddress ?? '') ?? '';
    const isForwarded =
      headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined;
    if (!trusts?.(peer)) {
      if (isForwarded && !told) {
        told = true;
        log.warn(
          { peer },
          'X-Forwarded-For or Forwarded from an address that TRUSTED_PROXIES does not list: it is ignored, and limits count for that address',
        );
      }
      return { address: peer, baseUrl: publicUrl ?? direct };
    }
    const { address, proto, host } = readHeaders(headers, peer, trusts);
    const baseUrl =
      publicUrl ?? `${proto ?? 'http'}://${host ?? headers.host ?? 'localhost'}${basePath}`;
    return { address, baseUrl };
  };
}

interface Found {
  address: string;
  proto: string | undefined;
  host: string | undefined;
}

/**
 * Reads the headers of trusted proxies. Most proxies write either X-Forwarded-For or Forwarded and pass on the other
 * one as the client sent it: if the two name different clients, neither is believed, and the proxy's own address
 * counts.
 */
function readHeaders(headers: IncomingHttpHeaders, peer: string, trusts: Trusts): Found {
  const listed = walk(splitList(headers['x-forwarded-for']), peer, trusts);
  const elements = readForwarded(headers['forwarded']);
  const named = walk(
    elements.map((element) => element['for'] ?? ''),
    peer,
    trusts,
  );
  const found = listed ?? named;
  const element = at(elements, named?.hop);
  const proto = (
    at(splitList(headers['x-forwarded-proto']), found?.hop) ?? element?.['proto']
  )?.toLowerCase();
  const host = at(splitList(headers['x-forwarded-host']), found?.hop) ?? element?.['host'];
  return {
    address:
      found === undefined || (listed && named && listed.address !== named.address)
        ? peer
        : found.address,
    proto: proto === 'http' || proto === 'https' ? proto : undefined,
    host: host !== undefined && isHost(host) ? host : undefined,
  };
}

/**
 * Goes from the nearest hop to the first address that is not a trusted proxy, or stops before one that can't be parsed.
 * Undefined without hops.
 */
function walk(
  hops: readonly string[],
  peer: string,
  trusts: Trusts,
): { address: string; hop: number } | undefined {
  if (hops.length === 0) return undefined;
  let address = peer;
  let hop = 0;
  for (const text of hops.toReversed()) {
    const next = readAddress(text);
    if (next === undefined) break;
    address = next;
    if (!trusts(next)) break;
    hop++;
  }
  return { address, hop };
}

/**
 * The value that belongs to the proxy `hop` places before the nearest one. A proxy that replaces the header leaves only
 * one value.
 */
function at<T>(values: readonly T[], hop = 0): T | undefined {
  return values.at(Math.max(-values.length, -1 - hop));
}

function splitList(header: string | string[] | undefined): string[] {
  return header === undefined
    ? []
    : String(header)
        .split(',')
        .map((part) => part.trim());
}

/** The elements of a Forwarded header (RFC 7239); one element without a client if it can't be parsed. */
function readForwarded(header: string | undefined): Record<string, string>[] {
  if (header === undefined) return [];
  try {
    return parseForwarded(header);
  } catch {
    return [{}];
  }
}
