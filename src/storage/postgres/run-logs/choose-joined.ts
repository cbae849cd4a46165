import { MAX_PART_BYTES } from '../../../domain/ports/runs/run-log-parts.ts';

export interface WeighedPart {
  /** Position in the log. */
  offset: number;
  /** Its bytes, and the text of its times. */
  weight: number;
}

/**
 * The offsets of the parts that become one part with what is appended: the last ones that are not larger than what follows them.
 * So the number of parts grows with the logarithm of what a slow run writes, and each byte is written a logarithmic number of
 * times.
 *
 * @param last the last parts of a log, the last one first
 * @param weight of what is appended
 */
export function chooseJoined(last: readonly WeighedPart[], weight: number): number[] {
  const joined: number[] = [];
  let total = weight;
  for (const part of last) {
    if (part.weight > total || total + part.weight > MAX_PART_BYTES) break;
    total += part.weight;
    joined.push(part.offset);
  }
  return joined;
}
