import type { KeyObject } from 'node:crypto';
import type { RequestHeaders } from '../../../domain/deliveries/headers.ts';
import { AUTH_REASONS, type AuthReason, adviseOn } from '../../../domain/words/delivery-reasons.ts';
import type { SecretCandidate } from '../rejected-request.ts';
import type { Scheme } from '../scheme.ts';
import { listCredentialPlaces, SCHEMES } from '../schemes/schemes.ts';
import type { SignedRequest } from '../verification.ts';
import { compileVerifier } from '../verify/compile-verifier.ts';
import { describeAuthorization } from './authorization-form.ts';
import { BODY_MISTAKES, describeTooLargeText } from './body-mistakes.ts';
import { CLOCK_MISTAKES, FORM_MISTAKES } from './form-mistakes.ts';
import type { DiagnosedRequest, Mistake, SchemeVariant } from './mistake.ts';
import { SCHEME_MISTAKES } from './scheme-mistakes.ts';
import { SECRET_MISTAKES } from './secret-mistakes.ts';
import { TOKEN_MISTAKES } from './token-mistakes.ts';

/** A request to diagnose, in memory: nothing is fetched or stored. */
export interface RequestToDiagnose {
  scheme: Scheme;
  /** The version that the webhook is pinned to comes first. */
  secrets: readonly [SecretCandidate, ...SecretCandidate[]];
  headers: RequestHeaders;
  body: Uint8Array;
  /** Wall time in milliseconds at which it arrived; `null` if unknown, and then no timestamp is checked. */
  nowMs: number | null;
  /** The URL that the sender was given; `null` if unknown. */
  publicUrl?: string | null;
  /** The key of the provider's certificate, for schemes that need one. It is not fetched. */
  signingKey?: KeyObject | null;
}

/** The mistake (`none` if the request is valid) with what to do in one sentence; or all mistakes that were tried. */
export type RequestDiagnosis =
  | { ok: true; mistake: string; sentence: string }
  | {
      ok: false;
      /** Only mistakes that could be undone in this request. */
      tried: string[];
      /** Everything that can be checked without the provider's certificate is correct, and it was not supplied. */
      lacksCertificate: boolean;
    };

/** In the order of likelihood. If two mistakes explain a request, the more specific one comes first. */
export const MISTAKES: readonly Mistake[] = [
  ...CLOCK_MISTAKES,
  ...SECRET_MISTAKES,
  ...FORM_MISTAKES,
  ...TOKEN_MISTAKES,
  ...BODY_MISTAKES,
  ...SCHEME_MISTAKES,
  ...SCHEMES.flatMap(listSpecialMistakes),
];

function listSpecialMistakes(scheme: Scheme): Mistake[] {
  return scheme.family === 'special' ? scheme.mistakes.map((mistake) => ({ ...mistake, of: scheme.name })) : [];
}

const GOOD = {
  ok: true,
  mistake: 'none',
  sentence: 'The request is valid: it verifies with this scheme and this secret, so send it again.',
} as const;

/** Undoes one usual mistake after the other until the request verifies. No sentence contains any part of a secret. */
export function diagnoseRequest(request: RequestToDiagnose): RequestDiagnosis {
  const rejected = toDiagnosedRequest(request, null);
  const first = verify(rejected, { checksClock: true }, request.nowMs);
  if (first.outcome === 'verified') return GOOD;
  const detailed = toDiagnosedRequest(request, first.detail);
  const tried: string[] = [];
  for (const mistake of listMistakes(request.scheme)) {
    for (const variant of mistake.vary(detailed)) {
      if (tried.at(-1) !== mistake.tried) tried.push(mistake.tried);
      if (!variant.isProven && verify(detailed, variant, request.nowMs).outcome !== 'verified') continue;
      return { ok: true, mistake: mistake.id, sentence: variant.sentence };
    }
  }
  return explainRejection(detailed, first, tried);
}

function listMistakes({ name }: Scheme): Mistake[] {
  return MISTAKES.filter(({ of }) => of === undefined || of === name);
}

function toDiagnosedRequest(
  { secrets, publicUrl = null, signingKey = null, ...request }: RequestToDiagnose,
  detail: string | null,
): DiagnosedRequest {
  const [secret, ...others] = secrets;
  const otherSecrets = others.filter(({ text }) => text !== secret.text);
  return { ...request, secret, otherSecrets, publicUrl, signingKey, detail };
}

/** The outcome of one attempt. `detail` contains counts only, or a sentence about an unusable secret without the secret. */
type Attempt =
  | { outcome: 'verified' }
  | { outcome: 'rejected'; reason: string; detail: string | null }
  /** Only the certificate that was not supplied could decide. */
  | { outcome: 'undecided'; detail: null }
  | { outcome: 'unusable'; detail: string; hint: string };

function verify(rejected: DiagnosedRequest, variant: Partial<SchemeVariant>, nowMs: number | null): Attempt {
  const scheme = variant.scheme ?? rejected.scheme;
  const compiled = compileVerifier(
    variant.checksClock === true && nowMs !== null ? scheme : withoutClock(scheme),
    variant.secretText ?? rejected.secret.text,
    () => rejected.signingKey,
  );
  if (!compiled.ok) return { outcome: 'unusable', detail: compiled.message, hint: compiled.hint };
  const request = toRequest(rejected, variant, nowMs ?? 0);
  const result = compiled.verify(request);
  if (result instanceof Promise) return { outcome: 'undecided', detail: null };
  if (result.ok) return { outcome: 'verified' };
  if (result.reason === 'unavailable') return { outcome: 'undecided', detail: null };
  return { outcome: 'rejected', reason: result.reason, detail: result.detail };
}

/** The scheme without a tolerance: the timestamp is signed as before and must still be present. */
function withoutClock(scheme: Scheme): Scheme {
  if (scheme.family !== 'signature' || !scheme.timestamp?.signed) return scheme;
  const forever = { toleranceSeconds: Number.POSITIVE_INFINITY, futureToleranceSeconds: Number.POSITIVE_INFINITY };
  return { ...scheme, timestamp: { ...scheme.timestamp, ...forever } };
}

function toRequest(request: DiagnosedRequest, variant: Partial<SchemeVariant>, nowMs: number): SignedRequest {
  const { headers, body, publicUrl } = { ...request, ...variant };
  let parsed: { value: unknown } | null = null;
  return {
    method: 'POST',
    headers,
    body,
    nowMs,
    json: () => {
      parsed ??= { value: parseJson(body) };
      return parsed.value;
    },
    publicUrl: () => publicUrl ?? '',
  };
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    return undefined;
  }
}

/** No variant verified: the reason may still explain the rejection. */
function explainRejection(
  request: DiagnosedRequest,
  rejected: Exclude<Attempt, { outcome: 'verified' }>,
  tried: string[],
): RequestDiagnosis {
  if (rejected.outcome === 'unusable') {
    const what = rejected.detail.replace(/\.$/, '');
    return { ok: true, mistake: 'unusable_secret', sentence: `${what}: ${lowerFirst(rejected.hint)}` };
  }
  if (rejected.outcome === 'rejected') {
    const sentence = describeRejection(request, rejected.reason, rejected.detail);
    if (sentence !== null) return { ok: true, mistake: rejected.reason, sentence };
    const tooLarge = describeTooLargeText(request);
    if (tooLarge !== null) return { ok: true, mistake: 'body_compressed_too_large', sentence: tooLarge };
  }
  return { ok: false, tried, lacksCertificate: rejected.outcome === 'undecided' };
}

function describeRejection(request: DiagnosedRequest, reason: string, detail: string | null): string | null {
  const described = reason === 'malformed_credential' ? describeAuthorization(request) : null;
  return described ?? diagnoseReason(reason, detail, request.scheme);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** One sentence derived only from the reason of a rejection; `null` if the reason does not show the cause. */
export function diagnoseReason(reason: string, detail: string | null, scheme: Scheme | null): string | null {
  if (!Object.hasOwn(AUTH_REASONS, reason)) return null;
  const places = scheme === null ? undefined : `\`${listCredentialPlaces(scheme).slice(0, 2).join('` or `')}\``;
  return adviseOn(AUTH_REASONS[reason as AuthReason], detail, places);
}
