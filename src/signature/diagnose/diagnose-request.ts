import type { KeyObject } from 'node:crypto';
import type { RequestHeaders } from '../../core/headers.ts';
import type { Scheme } from '../scheme.ts';
import { checkSnsMessage, verifySnsMessage } from '../special/sns.ts';
import type { SignedRequest, VerifyResult } from '../verification.ts';
import { compileVerifier } from '../verify/compile-verifier.ts';
import { describeAuthorization } from './authorization-form.ts';
import { BODY_MISTAKES } from './body-mistakes.ts';
import { CLOCK_MISTAKES } from './clock-mistakes.ts';
import { diagnoseReason } from './diagnose-reason.ts';
import { FORM_MISTAKES } from './form-mistakes.ts';
import type { Mistake, RejectedRequest, RequestVariant, SecretCandidate } from './mistake.ts';
import { SCHEME_MISTAKES } from './scheme-mistakes.ts';
import { SECRET_MISTAKES } from './secret-mistakes.ts';
import { SNS_MISTAKES } from './sns-mistakes.ts';
import { SPECIAL_MISTAKES } from './special-mistakes.ts';
import { TOKEN_MISTAKES } from './token-mistakes.ts';

/** A request to be diagnosed. It is tried out in memory only: nothing is fetched and nothing is kept. */
export interface RequestToDiagnose {
  scheme: Scheme;
  /** The version that the webhook is pinned to comes first. */
  secrets: readonly [SecretCandidate, ...SecretCandidate[]];
  headers: RequestHeaders;
  body: Uint8Array;
  /** Wall time in milliseconds at which it arrived; `null` where nobody knows, and then no clock is judged. */
  nowMs: number | null;
  /** The URL that the sender was given; `null` where it is not known. */
  publicUrl?: string | null;
  /** The key of the certificate that a message of SNS names: it is not fetched. */
  signingKey?: KeyObject | null;
}

/** What was wrong (`none`: nothing), in one sentence with what to do; or all that was tried in vain, for people. */
export type RequestDiagnosis = { ok: true; mistake: string; sentence: string } | { ok: false; tried: string[] };

/** In the order of likelihood, and such that a mistake which another one would also explain comes first. */
export const MISTAKES: readonly Mistake[] = [
  ...CLOCK_MISTAKES,
  ...SECRET_MISTAKES,
  ...FORM_MISTAKES,
  ...TOKEN_MISTAKES,
  ...BODY_MISTAKES,
  ...SPECIAL_MISTAKES,
  ...SCHEME_MISTAKES,
  ...SNS_MISTAKES,
];

const GOOD = {
  ok: true,
  mistake: 'none',
  sentence: 'The request is good: it verifies with this scheme and this secret, so send it again.',
} as const;

/** Undoes one usual mistake after the other until the request verifies. No sentence ever holds anything of a secret. */
export function diagnoseRequest(request: RequestToDiagnose): RequestDiagnosis {
  const rejected = toRejectedRequest(request, null);
  const first = verify(rejected, { judgesClock: true }, request.nowMs);
  if (first.outcome === 'verified') return GOOD;
  const detailed = toRejectedRequest(request, first.detail);
  for (const mistake of MISTAKES) {
    for (const variant of mistake.vary(detailed)) {
      if (!variant.isProven && verify(detailed, variant, request.nowMs).outcome !== 'verified') continue;
      return { ok: true, mistake: mistake.id, sentence: variant.sentence };
    }
  }
  return explainRefusal(detailed, first);
}

function toRejectedRequest(
  { secrets, publicUrl = null, signingKey = null, ...request }: RequestToDiagnose,
  detail: string | null,
): RejectedRequest {
  const [secret, ...others] = secrets;
  const otherSecrets = others.filter(({ text }) => text !== secret.text);
  return { ...request, secret, otherSecrets, publicUrl, signingKey, detail };
}

/** What one try came to. `detail` holds counts only, or for an unusable secret a sentence without it. */
type Try =
  | { outcome: 'verified' }
  | { outcome: 'refused'; reason: string; detail: string | null }
  | { outcome: 'unusable'; detail: string; hint: string };

/** Of what only the certificate of SNS could tell. */
const UNDECIDED = { outcome: 'refused', reason: 'bad_signature', detail: null } as const;

function verify(rejected: RejectedRequest, variant: Partial<RequestVariant>, nowMs: number | null): Try {
  const scheme = variant.scheme ?? rejected.scheme;
  const compiled = compileVerifier(
    variant.judgesClock === true && nowMs !== null ? scheme : withoutClock(scheme),
    variant.secretText ?? rejected.secret.text,
    async () => null,
  );
  if (!compiled.ok) return { outcome: 'unusable', detail: compiled.message, hint: compiled.hint };
  const request = toRequest(rejected, variant, nowMs ?? 0);
  const result = scheme.name === 'sns' ? verifySns(rejected, variant, request) : compiled.verify(request);
  if (result === null || result instanceof Promise) return UNDECIDED;
  return result.ok ? { outcome: 'verified' } : { outcome: 'refused', ...result };
}

/** `null`: all is right that can be judged without the certificate. */
function verifySns(
  rejected: RejectedRequest,
  variant: Partial<RequestVariant>,
  request: SignedRequest,
): VerifyResult | null {
  const message = checkSnsMessage(request.json(), variant.secretText ?? rejected.secret.text);
  if ('ok' in message) return message;
  return rejected.signingKey === null ? null : verifySnsMessage(message, rejected.signingKey);
}

/** The scheme with every moment timely: it is signed as before, and must still be there. */
function withoutClock(scheme: Scheme): Scheme {
  if (scheme.family !== 'signature' || !scheme.timestamp?.signed) return scheme;
  const forever = { toleranceSeconds: Number.POSITIVE_INFINITY, futureToleranceSeconds: Number.POSITIVE_INFINITY };
  return { ...scheme, timestamp: { ...scheme.timestamp, ...forever } };
}

function toRequest(request: RejectedRequest, variant: Partial<RequestVariant>, nowMs: number): SignedRequest {
  const { headers, body, publicUrl } = { ...request, ...variant };
  let parsed: { value: unknown } | null = null;
  return {
    ...{ method: 'POST', headers, body, nowMs },
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

/** Nothing made it verify: the reason may still say it all. */
function explainRefusal(request: RejectedRequest, refused: Try): RequestDiagnosis {
  const { scheme } = request;
  if (refused.outcome === 'unusable') {
    const what = refused.detail.replace(/\.$/, '');
    return { ok: true, mistake: 'unusable_secret', sentence: `${what}: ${lowerFirst(refused.hint)}` };
  }
  const sentence = refused.outcome === 'refused' ? describeRefusal(request, refused.reason, refused.detail) : null;
  if (sentence !== null && refused.outcome === 'refused') return { ok: true, mistake: refused.reason, sentence };
  return {
    ok: false,
    tried: MISTAKES.flatMap(({ tried, of }) => (of === undefined || of === scheme.name ? [tried] : [])),
  };
}

function describeRefusal(request: RejectedRequest, reason: string, detail: string | null): string | null {
  const described = reason === 'malformed_credential' ? describeAuthorization(request) : null;
  return described ?? diagnoseReason(reason, detail, request.scheme);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
