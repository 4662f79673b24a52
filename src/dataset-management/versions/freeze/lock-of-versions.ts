/** The number of the lock under which versions of a dataset begin, and what no version has is removed. */
export function lockOfVersions(datasetId: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${datasetId.replaceAll('-', '').slice(0, 16)}`));
}
