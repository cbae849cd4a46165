import { awaitsIssuedSecret, checkSecretForWebhook } from '../definitions/check/check-secret.ts';
import { NO_VERSION } from '../domain/applies/applied.ts';
import type { FactoryDefinition, WebhookDefinition } from '../domain/definitions/definition.ts';
import type { Diagnostic, Position } from '../domain/definitions/diagnostic.ts';
import { hasErrors } from '../domain/definitions/diagnostic.ts';
import type { AppliedWebhook } from '../domain/resources/webhook.ts';
import { applyLint } from '../domain/rules.ts';
import {
  describeUnusable,
  isInScope,
  type SecretScope,
  type SecretUse,
  type SecretUser,
} from '../domain/secrets/secret-scope.ts';
import type { SecretValue } from '../domain/secrets/secret-value.ts';

/** Version and value of a secret; `null` for a value that is not read here, or that does not exist yet. */
interface ResolvedSecret {
  version: number;
  value: SecretValue | null;
}

/**
 * The newest version of each webhook's secret, and of its verify token where it names one, by the webhook's name; those
 * that exist, where some do not.
 */
export interface ResolvedSecrets {
  byWebhook: ReadonlyMap<string, ResolvedSecret>;
  verifyTokens: ReadonlyMap<string, ResolvedSecret>;
  /**
   * What keeps the definition from applying. `missing`: a secret does not exist, or its scope excludes the factory
   * (outside is incomplete, try again when that changes). `unsuitable`: a value cannot serve its mode (the definition is
   * wrong).
   */
  problem: 'missing' | 'unsuitable' | null;
  /** Secrets that webhooks name and cannot use. */
  missingForWebhooks: { name: string; webhook: string }[];
  /** Secrets that automations list and that their runs cannot use: no problem of the apply. */
  missingForRuns: ListedSecret[];
  diagnostics: Diagnostic[];
}

/** A secret in the list of an automation. */
interface ListedSecret {
  name: string;
  automation: string;
  /** Of the automation. */
  file: string;
  /** Of the name in its list `secrets`. */
  index: number;
  at: Position;
}

/** The store, as far as it is read. One that keeps its values to itself answers `null` for them, and checks them. */
export interface ReadableSecrets {
  resolve(name: string, user: SecretUser): Promise<ReadableResolution>;
  /** The scopes of the names that exist. */
  scopes(names: readonly string[]): Promise<ReadonlyMap<string, SecretScope>>;
  /** What keeps the secret that the webhook names from serving it, as `checkSecretForWebhook`. */
  check?(webhook: WebhookDefinition, user: SecretUser): Promise<Diagnostic[]>;
}

/** `Resolution` with a value that may be omitted. */
type ReadableResolution =
  | ({ outcome: 'found' } & ResolvedSecret)
  | { outcome: 'missing' }
  | { outcome: 'outside_scope' };

/**
 * Resolves every secret that a definition uses, and checks that each value is valid for its webhook.
 *
 * @param factory whose definition it is: it can only use secrets whose scope includes it
 * @param options.mayCheck whether findings about the value of this secret may be reported, because they reveal a little of it
 * @param options.kept the webhooks of a hosted definition that did not change, by name: they stay pinned to the versions
 *   they have. `null` for a repository: every apply resolves all secrets again (decisions, "Secrets and rotation")
 */
export async function resolveSecrets(
  factory: string,
  definition: FactoryDefinition,
  secrets: ReadableSecrets,
  options: {
    mayCheck?: (secretName: string) => boolean;
    kept?: ReadonlyMap<string, AppliedWebhook> | null;
  } = {},
): Promise<ResolvedSecrets> {
  const { mayCheck = () => true, kept = null } = options;
  const byWebhook = new Map<string, ResolvedSecret>();
  const verifyTokens = new Map<string, ResolvedSecret>();
  const missingForWebhooks: { name: string; webhook: string }[] = [];
  const missing: Diagnostic[] = [];
  const findings: Diagnostic[] = [];
  const user: SecretUser = { factory, use: 'webhook' };
  const resolve = createOnceResolver(secrets, user);
  const listed = listForRuns(definition);
  const scopes = await secrets.scopes(nameSecrets(definition, listed));
  const isExcluded = (name: string, use: SecretUse) => {
    const scope = scopes.get(name);
    return scope !== undefined && !isInScope(scope, { factory, use });
  };
  const miss = (webhook: WebhookDefinition, key: SecretKey) => {
    missingForWebhooks.push({ name: webhook[key]!, webhook: webhook.name });
    missing.push(reportMissing(webhook, key, user));
  };
  for (const webhook of definition.webhooks) {
    const pinned = kept?.get(webhook.name);
    if (pinned !== undefined) {
      keepPins(pinned, byWebhook, verifyTokens);
      for (const key of SECRET_KEYS) {
        if (isPinned(pinned, key) && isExcluded(webhook[key] ?? '', 'webhook')) miss(webhook, key);
      }
      continue;
    }
    const secret = await resolve(webhook.secretName);
    if (secret.outcome === 'found') {
      byWebhook.set(webhook.name, secret);
      if (mayCheck(webhook.secretName)) {
        findings.push(...applyLint(await checkSecret(secrets, webhook, user, secret), definition.lint));
      }
    } else if (kept !== null && awaitsIssuedSecret(webhook)) {
      byWebhook.set(webhook.name, { version: NO_VERSION, value: null });
    } else miss(webhook, 'secretName');
    if (webhook.verifyTokenSecretName === null) continue;
    const verifyToken = await resolve(webhook.verifyTokenSecretName);
    if (verifyToken.outcome === 'found') verifyTokens.set(webhook.name, verifyToken);
    else miss(webhook, 'verifyTokenSecretName');
  }
  const missingForRuns = listed.filter(({ name }) => !scopes.has(name) || isExcluded(name, 'run'));
  const warnings = missingForRuns.map((secret) => warnMissingForRun(factory, secret));
  const forRuns = applyLint(warnings, definition.lint);
  const diagnostics = [...missing, ...findings, ...forRuns];
  const isMissing = missing.length > 0 || hasErrors(forRuns);
  const problem = hasErrors(findings) ? 'unsuitable' : isMissing ? 'missing' : null;
  return {
    byWebhook,
    verifyTokens,
    problem,
    missingForWebhooks,
    missingForRuns,
    diagnostics,
  };
}

/** The keys of a webhook that name a secret. */
const SECRET_KEYS = ['secretName', 'verifyTokenSecretName'] as const;
type SecretKey = (typeof SECRET_KEYS)[number];

function nameSecrets({ webhooks }: FactoryDefinition, listed: readonly ListedSecret[]): string[] {
  const named = webhooks.flatMap((webhook) => SECRET_KEYS.flatMap((key) => webhook[key] ?? []));
  return [...new Set([...named, ...listed.map(({ name }) => name)])];
}

async function checkSecret(
  secrets: Pick<ReadableSecrets, 'check'>,
  webhook: WebhookDefinition,
  user: SecretUser,
  { value }: ResolvedSecret,
): Promise<Diagnostic[]> {
  return value === null ? ((await secrets.check?.(webhook, user)) ?? []) : checkSecretForWebhook(webhook, value);
}

/** A webhook that waits for an issued secret has used none yet, so a secret of this name may belong to others. */
function isPinned({ secretVersion, verifyTokenSecretVersion }: AppliedWebhook, key: SecretKey): boolean {
  return key === 'secretName' ? secretVersion !== NO_VERSION : verifyTokenSecretVersion !== null;
}

function keepPins(
  { name, secretVersion, verifyTokenSecretVersion }: AppliedWebhook,
  byWebhook: Map<string, ResolvedSecret>,
  verifyTokens: Map<string, ResolvedSecret>,
): void {
  byWebhook.set(name, { version: secretVersion, value: null });
  if (verifyTokenSecretVersion !== null) verifyTokens.set(name, { version: verifyTokenSecretVersion, value: null });
}

/** Webhooks that share a secret get the same version of it, also where it changes at this moment (threat model S4). */
function createOnceResolver(
  secrets: Pick<ReadableSecrets, 'resolve'>,
  user: SecretUser,
): (name: string) => Promise<ReadableResolution> {
  const resolved = new Map<string, Promise<ReadableResolution>>();
  return (name) => {
    const known = resolved.get(name) ?? secrets.resolve(name, user);
    resolved.set(name, known);
    return known;
  };
}

function reportMissing(webhook: WebhookDefinition, key: SecretKey, user: SecretUser): Diagnostic {
  const { message, hint } = describeUnusable(webhook[key]!, user);
  return {
    severity: 'error',
    rule: 'secret/missing',
    ...placeOf(webhook, key),
    message,
    hint: `${hint}. The apply is then retried automatically`,
  };
}

const FILE_START: Position = { line: 1, column: 1 };

function placeOf(webhook: WebhookDefinition, key: SecretKey) {
  const at = key === 'secretName' ? webhook.secretNameAt : webhook.verifyTokenSecretNameAt!;
  return { file: webhook.file, ...at, path: key };
}

/** Secrets that only runs need: a run without one fails, the webhooks do not depend on it. */
function listForRuns({ automations }: FactoryDefinition): ListedSecret[] {
  return automations.flatMap(({ name: automation, file, overrides, places }) => {
    const names: unknown[] = Array.isArray(overrides.secrets) ? overrides.secrets : [];
    return names.flatMap((name, index) => {
      if (typeof name !== 'string') return [];
      return [{ name, automation, file, index, at: places.get(`secrets[${index}]`) ?? FILE_START }];
    });
  });
}

export const MISSING_RUN_SECRET = 'automation/missing-run-secret';

export function warnMissingForRun(factory: string, { name, file, index, at }: ListedSecret): Diagnostic {
  const { message, hint } = describeUnusable(name, { factory, use: 'run' });
  return {
    severity: 'warning',
    rule: MISSING_RUN_SECRET,
    file,
    line: at.line,
    column: at.column,
    path: `secrets[${index}]`,
    message: `${message}: runs of this automation will fail until there is`,
    hint,
  };
}
