/** Large answers that are being sent, which take memory beside the heap until their clients have taken them. */
const sent = new Set<{ bytes: number; isTaken: () => boolean }>();

/** Counts an answer until its client has taken it, or is gone. */
export function countSent(bytes: number, isTaken: () => boolean): void {
  sent.add({ bytes, isTaken });
}

/** The bytes of answers that are being sent. */
export function bytesSent(): number {
  let sum = 0;
  for (const answer of sent)
    if (answer.isTaken()) sent.delete(answer);
    else sum += answer.bytes;
  return sum;
}
