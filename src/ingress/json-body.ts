import { isUtf8 } from 'node:buffer';
import { scanJson } from '../core/payload/scan-json.ts';
import { MAX_JSON_DEPTH } from '../core/payload/skip-json.ts';
import type { WantedKeys } from '../core/payload/wanted-keys.ts';

/** The values that were asked for, or the reason why the body is not accepted. */
export type ReadBody = { ok: true; value: unknown } | { ok: false; reason: string; detail: string };

/**
 * Reads the wanted values of a body that must be JSON (RFC 8259) in valid UTF-8. A body is never parsed as a whole on this
 * thread, because some bodies of legal size would occupy it for 20 ms.
 *
 * @param wanted `null` to only check the body
 */
export function readJsonBody(body: Buffer, wanted: WantedKeys | null): ReadBody {
  if (body.length === 0) return { ok: false, reason: 'empty_body', detail: 'the body is empty' };
  if (!isUtf8(body)) return { ok: false, reason: 'invalid_utf8', detail: 'the body is not valid UTF-8' };
  const scan = scanJson(body, wanted);
  if (scan.ok) return scan;
  if (scan.reason === 'invalid_json')
    return { ok: false, reason: 'invalid_json', detail: 'the body is not valid JSON' };
  return { ok: false, reason: 'too_deep', detail: `the body has more than ${MAX_JSON_DEPTH} levels` };
}
