import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes in use on the heap: what nobody holds any more is not counted. */
export function heapInUse(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** Measures by how many bytes the heap has grown since now. What nobody holds is counted up to `limit`, for collecting it takes long. */
export function heapGrowth(limit: number): () => number {
  const before = heapInUse();
  return () => {
    const grown = process.memoryUsage().heapUsed - before;
    return grown < limit ? grown : heapInUse() - before;
  };
}
