/** The storage that the variable STORAGE names. */
export type StorageLocation =
  | { kind: 'filesystem'; folder: string }
  | { kind: 's3'; bucket: string; prefix: string; region: string; endpoint?: string };

/**
 * Reads `s3://bucket/prefix?endpoint=…&region=…` or a folder (`/srv/blobs`, `file:///srv/blobs`); undefined when it is
 * neither.
 */
export function parseStorageUrl(text: string): StorageLocation | undefined {
  if (!text.includes('://'))
    // Not "s3:bucket", which would become a folder unnoticed; one letter is a drive.
    return /^[a-z][a-z\d]+:/i.test(text) ? undefined : { kind: 'filesystem', folder: text };
  const url = tryUrl(text);
  if (url?.protocol === 'file:') {
    const folder = url.host === '' ? tryPath(url.pathname) : undefined;
    return folder === undefined ? undefined : { kind: 'filesystem', folder };
  }
  if (url?.protocol !== 's3:' || url.hostname === '' || url.username !== '' || url.password !== '')
    return undefined;
  // A misspelt endpoint would send the images to AWS.
  if ([...url.searchParams.keys()].some((name) => !/^(endpoint|region)$/.test(name)))
    return undefined;
  const endpoint = url.searchParams.get('endpoint');
  if (endpoint !== null && !/^https?:$/.test(tryUrl(endpoint)?.protocol ?? '')) return undefined;
  return {
    kind: 's3',
    bucket: url.hostname,
    prefix: url.pathname.replace(/^\/+|(?<!\/)\/+$/g, ''),
    region: url.searchParams.get('region') ?? 'us-east-1',
    ...(endpoint === null ? {} : { endpoint }),
  };
}

function tryUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** A path of a URL as a name of a folder, which has no NUL. */
function tryPath(path: string): string | undefined {
  try {
    const folder = decodeURIComponent(path);
    return folder.includes('\0') ? undefined : folder;
  } catch {
    return undefined;
  }
}
