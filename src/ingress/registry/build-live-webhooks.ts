import { ListenerIndex } from '../../definitions/filter/listeners/listener-index.ts';
import { compileSubject } from '../../definitions/filter/read-subject.ts';
import { isSignedChallenge } from '../../definitions/signature/handshakes/challenges.ts';
import type { LiveHandshake } from '../../definitions/signature/handshakes/handshake.ts';
import {
  compileHandshakes,
  isSecretPlaceholder,
  signsUnverifiedChallenges,
} from '../../definitions/signature/handshakes/handshakes.ts';
import { isCredentialHeader } from '../../definitions/signature/schemes/credential-headers.ts';
import { findDeliveryIdPath } from '../../definitions/signature/schemes/delivery-id-path.ts';
import { resolveScheme } from '../../definitions/signature/schemes/resolve-scheme.ts';
import { isBodySecondKey } from '../../definitions/signature/schemes/retries.ts';
import {
  findScheme,
  listCredentialPlaces,
  listDescribingHeaders,
  listSignedFields,
} from '../../definitions/signature/schemes/schemes.ts';
import { compileTokenCheck } from '../../definitions/signature/tokens/token.ts';
import type { FindSigningKey, Verify } from '../../definitions/signature/verification.ts';
import {
  compileClaimedIdentity,
  type ReadClaimedIdentity,
} from '../../definitions/signature/verify/claimed-identity.ts';
import { compileVerifier } from '../../definitions/signature/verify/compile-verifier.ts';
import { servedProvider } from '../../definitions/triggers/served-provider.ts';
import type { EventPlace } from '../../domain/deliveries/event-name.ts';
import { parseSummaryTemplate, type SummaryPart } from '../../domain/deliveries/event-summary.ts';
import type { ServingWebhook } from '../../domain/ports/definitions.ts';
import { type AppliedWebhook, type DeclaredEvent, readPayloadPath } from '../../domain/resources/webhook.ts';
import { findOverlapEnd } from '../../domain/secrets/rotation-overlap.ts';
import type { SecretValue } from '../../domain/secrets/secret-value.ts';
import { acceptPrevious } from './accept-previous.ts';
import { findSuccessAnswer } from './find-success-answer.ts';
import type { Credential, FormRules, LiveWebhook } from './live-webhook.ts';

/** The webhook that reports pushes to a factory's production branch. */
export interface PushTrigger {
  webhook: string;
  branch: string;
}

/**
 * Compiles an applied webhook for the handling of deliveries: once per change, never per request. Its listeners and the
 * live revision come from the factory.
 *
 * @param ref the number of the webhook in the storage
 * @param pushTrigger `null` if no webhook of the factory reports pushes
 */
export function buildLiveWebhook(
  { webhook, secret, previousSecret, verifyToken }: ServingWebhook,
  ref: number,
  pushTrigger: PushTrigger | null,
): LiveWebhook {
  const [event, summary] = [buildEventPlace(webhook), buildSummary(webhook)];
  const subject = compileSubject(servedProvider(webhook));
  const identityPath = findDeliveryIdPath(webhook);
  return {
    ref,
    uid: webhook.uid,
    name: webhook.name,
    factory: webhook.factory,
    revision: null,
    credential: overlap(buildCredential(webhook, secret), webhook, previousSecret),
    pinned: { secretName: webhook.secretName, version: webhook.secretVersion },
    credentialWith: (version) => buildCredential(webhook, version, () => null),
    holdsSecret: compileSecretSearch(secret, previousSecret),
    handshakes: buildHandshakes(webhook, secret, verifyToken),
    form: buildFormRules(webhook),
    identityHeader: webhook.deliveryIdHeader?.toLowerCase() ?? null,
    identityPath,
    hasBodyKey: hasBodyKey(webhook),
    deduplicate: webhook.deduplicate,
    claimedIdentity: buildClaimedIdentity(webhook),
    event,
    summary,
    subject,
    describedBy: [
      identityPath,
      event?.path,
      ...summary.flatMap(({ paths }) => paths),
      ...(subject?.paths ?? []),
    ].filter((path) => path != null),
    credentialHeaders: listCredentialHeaders(webhook),
    recordedHeaders: new Map(listRecordedHeaders(webhook).map((name) => [name, { value: null, text: '' }])),
    provider: servedProvider(webhook),
    success: findSuccessAnswer(webhook),
    listeners: new ListenerIndex(),
    pushBranch: webhook.name === pushTrigger?.webhook ? pushTrigger.branch : null,
  };
}

function buildClaimedIdentity({ signatureScheme, signature }: AppliedWebhook): ReadClaimedIdentity {
  const scheme = resolveScheme(signatureScheme, signature);
  return scheme === null ? () => null : compileClaimedIdentity(scheme);
}

function hasBodyKey({ signatureScheme }: AppliedWebhook): boolean {
  const scheme = findScheme(signatureScheme ?? '');
  return scheme !== undefined && isBodySecondKey(scheme);
}

function buildFormRules({
  bodyFormat,
  formField: jsonField,
  signatureScheme,
  signature,
}: AppliedWebhook): FormRules | null {
  if (bodyFormat === 'json') return null;
  const scheme = resolveScheme(signatureScheme, signature);
  return { jsonField, signedFields: scheme === null ? null : listSignedFields(scheme) };
}

/** The places that the definition names, otherwise those of the scheme. */
function buildEventPlace({ event, signatureScheme }: AppliedWebhook): EventPlace | null {
  const place = event === null ? findScheme(signatureScheme ?? '')?.event : readDeclaredPlace(event);
  if (place === undefined) return null;
  return place.header === undefined ? place : { ...place, header: place.header.toLowerCase() };
}

function buildSummary({ signatureScheme }: AppliedWebhook): SummaryPart[] {
  const template = findScheme(signatureScheme ?? '')?.summary;
  return template === undefined ? [] : parseSummaryTemplate(template);
}

function readDeclaredPlace({ header, path }: DeclaredEvent): EventPlace {
  return {
    ...(header === undefined ? {} : { header }),
    ...(path === undefined ? {} : { path: readPayloadPath(path) }),
  };
}

/** The custom schemes of a team name headers that no list knows. */
function listCredentialHeaders({ signatureScheme, signature }: AppliedWebhook): ReadonlySet<string> {
  const scheme = resolveScheme(signatureScheme, signature);
  return new Set(scheme === null ? [] : listCredentialPlaces(scheme).map((place) => place.toLowerCase()));
}

/** Recorded with the deliveries of every webhook. */
const COMMON_HEADERS = ['user-agent', 'content-type'];

function listRecordedHeaders({ event, recordHeaders, signatureScheme, signature }: AppliedWebhook): string[] {
  const scheme = resolveScheme(signatureScheme, signature);
  const own = scheme === null ? [] : listDescribingHeaders(scheme);
  const declared = [...(event?.header === undefined ? [] : [event.header]), ...recordHeaders];
  const names = [...COMMON_HEADERS, ...own, ...declared].map((name) => name.toLowerCase());
  return [...new Set(names)].filter((name) => !isCredentialHeader(name));
}

/** The credential, which accepts the previous version of the secret too until the overlap ends. */
function overlap(current: Credential, webhook: AppliedWebhook, previousSecret: SecretValue | null): Credential {
  const until = findOverlapEnd(webhook);
  if (until === null || previousSecret === null) return current;
  return acceptPrevious(current, buildCredential(webhook, previousSecret), until);
}

/** @param findKey how public keys are fetched; omitted for the usual way */
function buildCredential(webhook: AppliedWebhook, secret: SecretValue | null, findKey?: FindSigningKey): Credential {
  if (secret === null) return { mode: webhook.authMode, unreadable: true };
  if (webhook.authMode !== 'signature') return { mode: webhook.authMode, accepts: compileTokenCheck(secret.reveal()) };
  if (isSecretPlaceholder(webhook.signatureScheme, secret.reveal())) return WAITS_FOR_SECRET;
  const scheme = resolveScheme(webhook.signatureScheme, webhook.signature);
  const compiled = scheme && compileVerifier(scheme, secret.reveal(), findKey);
  if (!compiled?.ok) return { mode: 'signature', unreadable: true };
  return {
    mode: 'signature',
    verify: signsUnverifiedChallenges(webhook) ? rejectChallenges(compiled.verify) : compiled.verify,
  };
}

/**
 * Shorter secrets are not searched: they would occur in many values by chance, and no scheme has such short secrets.
 */
const SHORTEST_SEARCHED_BYTES = 8;

/** In `Authorization: Basic`, the secret is base64. */
function compileSecretSearch(...secrets: (SecretValue | null)[]): LiveWebhook['holdsSecret'] {
  const forms = secrets.flatMap((secret) => {
    const bytes = Buffer.from(secret?.reveal() ?? '', 'utf8');
    if (bytes.length < SHORTEST_SEARCHED_BYTES) return [];
    return [bytes.toString('latin1'), bytes.toString('base64').replaceAll('=', '')];
  });
  return (value) => forms.some((form) => value.includes(form));
}

/** A body that a handshake of this webhook may have signed for anyone is not a delivery. */
function rejectChallenges(verify: Verify): Verify {
  return (request) =>
    isSignedChallenge(request.body)
      ? { ok: false, reason: 'bad_signature', detail: 'the body is a challenge, not a delivery' }
      : verify(request);
}

/** The placeholder of a secret that the sender has not supplied yet is public, so no signature with it is valid. */
const WAITS_FOR_SECRET: Credential = {
  mode: 'signature',
  verify: () => ({
    ok: false,
    reason: 'bad_signature',
    detail: 'the webhook still waits for the handshake that supplies its secret',
  }),
};

/** A webhook whose secret cannot be read answers no handshakes. */
function buildHandshakes(
  webhook: AppliedWebhook,
  secret: SecretValue | null,
  verifyToken: SecretValue | null,
): LiveHandshake[] {
  return secret === null ? [] : compileHandshakes(webhook, secret.reveal(), verifyToken?.reveal() ?? null);
}
