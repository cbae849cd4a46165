import { isUtf8 } from 'node:buffer';
import { scanJson } from '../domain/payload/scan-json.ts';
import type { WantedKeys } from '../domain/payload/wanted-keys.ts';
import type { BodyReason } from '../domain/words/delivery-reasons.ts';

/** The values that were asked for, or the reason why the body is not accepted. */
export type ReadBody = { ok: true; value: unknown } | RejectedBody;

/** A reason of `OTHER_REASONS`, and what is particular to this body. */
export interface RejectedBody {
  ok: false;
  reason: BodyReason;
  /** `null` if the reason says everything. */
  detail: string | null;
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads the wanted values of a body that must be JSON (RFC 8259) in valid UTF-8. A body is never parsed as a whole on this
 * thread, because some bodies of legal size would occupy it for 20 ms.
 *
 * @param wanted `null` to only check the body
 * @param place where the JSON is, for the detail of a rejection; empty for the body
 */
export function readJsonBody(body: Buffer, wanted: WantedKeys | null, place = ''): ReadBody {
  if (body.length === 0) return { ok: false, reason: 'empty_body', detail: null };
  if (!isUtf8(body)) return { ok: false, reason: 'invalid_utf8', detail: null };
  const scan = scanJson(body, wanted);
  if (scan.ok) return scan;
  if (scan.reason === 'too_deep') return { ok: false, reason: 'too_deep', detail: null };
  if (body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK))
    return { ok: false, reason: 'byte_order_mark', detail: 'the first bytes are EF BB BF' };
  return { ok: false, reason: 'invalid_json', detail: `${place}${describeFault(body, scan.at)}` };
}

function describeFault(body: Buffer, at: number): string {
  if (at >= body.length) return `it ends too early, after ${body.length} bytes`;
  const byte = body[at]!;
  const hex = byte.toString(16).toUpperCase().padStart(2, '0');
  const isVisible = byte > 0x20 && byte < 0x7f;
  return `the byte at position ${at} is ${hex}${isVisible ? ` (${String.fromCharCode(byte)})` : ''}`;
}
