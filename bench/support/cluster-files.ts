import { readFileSync } from 'node:fs';

/** Where the parts of a cluster are on loopback. */
export interface ClusterPlaces {
  folder: string;
  programs: string;
  /** PostgreSQL and Patroni of db1 and db2. */
  servers: readonly [{ postgres: number; patroni: number }, { postgres: number; patroni: number }];
  etcd: { client: number; peer: number };
  primary: number;
  replica: number;
  pooler: number;
}

type FileName =
  | 'etcd.yml'
  | 'patroni.yml'
  | 'haproxy.cfg'
  | 'pgbouncer.ini'
  | 'userlist.txt'
  | 'role.sql'
  | 'gateway.env';

/** A file of deploy/patroni, as on db1 or db2, with places on loopback instead of its own. Throws when one of its own is left. */
export function clusterFile(name: FileName, places: ClusterPlaces, server = 1): string {
  const { folder, servers, etcd } = places;
  let text = readFileSync(new URL(`../../deploy/patroni/${name}`, import.meta.url), 'utf8');
  // One etcd instead of three.
  text = text
    .replace(/10\.0\.0\.11:2379(,10\.0\.0\.\d+:2379){2}/, '10.0.0.11:2379')
    .replace(/(db1=http:\/\/10\.0\.0\.11:2380),.*/, '$1')
    .replaceAll('10.0.0.11:2379', `127.0.0.1:${etcd.client}`)
    .replaceAll('10.0.0.11:2380', `127.0.0.1:${etcd.peer}`);
  if (name === 'patroni.yml' && server === 2)
    text = text.replaceAll('10.0.0.11', '10.0.0.12').replace('name: db1', 'name: db2');
  for (const [index, { postgres, patroni }] of servers.entries()) {
    const host = `10.0.0.1${index + 1}`;
    text = text
      .replaceAll(`${host}:5432 check port 8008`, `127.0.0.1:${postgres} check port ${patroni}`)
      .replaceAll(`${host}:5432`, `127.0.0.1:${postgres}`)
      .replaceAll(`${host}:8008`, `127.0.0.1:${patroni}`);
  }
  text = text
    .replaceAll('10.0.0.0/24', '127.0.0.1/32')
    .replaceAll('/var/lib/postgresql/15/trivium', `${folder}/db${server}`)
    .replaceAll('/var/lib/postgresql/.pgpass-trivium', `${folder}/pgpass${server}`)
    .replaceAll('/usr/lib/postgresql/15/bin', places.programs)
    .replaceAll('/var/run/postgresql', folder)
    .replaceAll('/var/lib/etcd/trivium', `${folder}/etcd`)
    .replaceAll('/etc/pgbouncer/userlist.txt', `${folder}/userlist.txt`)
    .replaceAll(/(127\.0\.0\.1:| port=)5000/g, `$1${places.primary}`)
    .replaceAll('127.0.0.1:5001', `127.0.0.1:${places.replica}`)
    .replaceAll(/(127\.0\.0\.1:|listen_port = )6432/g, `$1${places.pooler}`);
  const left = text.split('\n').find((line) => /^[^#;-].*(10\.0\.0\.|\/etc\/|\/var\/)/.test(line));
  if (left !== undefined) throw new Error(`${name} has a place that is not on loopback: ${left}`);
  return text;
}

/** A setting of gateway.env. */
export function gatewaySettings(places: ClusterPlaces): Record<string, string> {
  return Object.fromEntries(
    [...clusterFile('gateway.env', places).matchAll(/^([A-Z_]+)=(.*)$/gm)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  );
}
