import type { RunId } from '../../core/ids.ts';
import type { RunLogReader } from '../../core/ports/runs/executor.ts';

const PIECE_BYTES = 262_144;

/** The bytes of a run's log from `offset` on, at most `limit`. Logs are capped when they are written, so all fit. */
export async function readRunLog(logs: RunLogReader, run: RunId, offset: number, limit: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  while (length < limit) {
    const piece = await logs.read(run, offset + length, Math.min(PIECE_BYTES, limit - length));
    if (piece === null || piece.length === 0) break;
    pieces.push(piece);
    length += piece.length;
  }
  return Buffer.concat(pieces);
}
