import { NO_VERSION } from '../core/applied.ts';
import type { FactoryDefinition, WebhookDefinition } from '../core/definition.ts';
import type { Diagnostic, Position } from '../core/diagnostic.ts';
import { hasErrors } from '../core/diagnostic.ts';
import type { AppliedWebhook } from '../core/resources/webhook.ts';
import { applyLint } from '../core/rules.ts';
import type { SecretValue } from '../core/secret-value.ts';
import { awaitsIssuedSecret, checkSecretForWebhook } from '../definitions/check/check-secret.ts';

/** Version and value of a secret; `null` for a value that is not read here, or that does not exist yet. */
export interface ResolvedSecret {
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
   * What keeps the definition from applying. `missing`: a secret does not exist (outside is incomplete, try again when
   * it does). `unsuitable`: a value cannot serve its mode (the definition is wrong).
   */
  problem: 'missing' | 'unsuitable' | null;
  /** Secrets that automations list for their runs and that do not exist: no problem of the apply. */
  missingForRuns: MissingForRun[];
  diagnostics: Diagnostic[];
}

/** A secret that a run would not find. */
export interface MissingForRun {
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
  resolve(name: string): Promise<ResolvedSecret | null>;
  list(): Promise<{ name: string }[]>;
  /** What keeps the secret that the webhook names from serving it, as `checkSecretForWebhook`. */
  check?(webhook: WebhookDefinition): Promise<Diagnostic[]>;
}

/**
 * Resolves every secret that a definition uses, and checks that each value is valid for its webhook.
 *
 * @param options.mayCheck whether findings about the value of this secret may be reported, because they reveal a little of it
 * @param options.kept the webhooks of a hosted definition that did not change, by name: they stay pinned to the versions
 *   they have. `null` for a repository: every apply resolves all secrets again (decisions, "Secrets and rotation")
 */
export async function resolveSecrets(
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
  const missing: Diagnostic[] = [];
  const findings: Diagnostic[] = [];
  const resolve = createOnceResolver(secrets);
  for (const webhook of definition.webhooks) {
    const pinned = kept?.get(webhook.name);
    if (pinned !== undefined) {
      keepPins(pinned, byWebhook, verifyTokens);
      continue;
    }
    const secret = await resolve(webhook.secretName);
    if (secret !== null) {
      byWebhook.set(webhook.name, secret);
      if (mayCheck(webhook.secretName)) {
        findings.push(...applyLint(await checkSecret(secrets, webhook, secret), definition.lint));
      }
    } else if (kept !== null && awaitsIssuedSecret(webhook)) {
      byWebhook.set(webhook.name, { version: NO_VERSION, value: null });
    } else missing.push(reportMissing(webhook, 'secretName'));
    if (webhook.verifyTokenSecretName === null) continue;
    const verifyToken = await resolve(webhook.verifyTokenSecretName);
    if (verifyToken === null) missing.push(reportMissing(webhook, 'verifyTokenSecretName'));
    else verifyTokens.set(webhook.name, verifyToken);
  }
  const missingForRuns = await findMissingForRuns(definition, secrets);
  const forRuns = applyLint(missingForRuns.map(warnMissingForRun), definition.lint);
  const diagnostics = [...missing, ...findings, ...forRuns];
  const isMissing = missing.length > 0 || hasErrors(forRuns);
  const problem = hasErrors(findings) ? 'unsuitable' : isMissing ? 'missing' : null;
  return { byWebhook, verifyTokens, problem, missingForRuns, diagnostics };
}

async function checkSecret(
  secrets: Pick<ReadableSecrets, 'check'>,
  webhook: WebhookDefinition,
  { value }: ResolvedSecret,
): Promise<Diagnostic[]> {
  return value === null ? ((await secrets.check?.(webhook)) ?? []) : checkSecretForWebhook(webhook, value);
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
function createOnceResolver(secrets: Pick<ReadableSecrets, 'resolve'>): ReadableSecrets['resolve'] {
  const resolved = new Map<string, ReturnType<ReadableSecrets['resolve']>>();
  return (name) => {
    const known = resolved.get(name) ?? secrets.resolve(name);
    resolved.set(name, known);
    return known;
  };
}

function reportMissing(webhook: WebhookDefinition, key: 'secretName' | 'verifyTokenSecretName'): Diagnostic {
  const name = webhook[key];
  return {
    severity: 'error',
    rule: 'secret/missing',
    file: webhook.file,
    ...(key === 'secretName' ? webhook.secretNameAt : webhook.verifyTokenSecretNameAt!),
    path: key,
    message: `there is no team secret named ${name}`,
    hint: `create it: dockbell secret create ${name}; the apply is then retried automatically`,
  };
}

const FILE_START: Position = { line: 1, column: 1 };

/** Secrets that only runs need: a run without one fails, the webhooks do not depend on it. */
async function findMissingForRuns(
  { automations }: FactoryDefinition,
  secrets: Pick<ReadableSecrets, 'list'>,
): Promise<MissingForRun[]> {
  const naming = automations.filter(({ overrides }) => Array.isArray(overrides.secrets));
  if (naming.length === 0) return [];
  const existing = new Set((await secrets.list()).map((secret) => secret.name));
  return naming.flatMap(({ name: automation, file, overrides, places }) => {
    const names = overrides.secrets as unknown[];
    return names.flatMap((name, index) => {
      if (typeof name !== 'string' || existing.has(name)) return [];
      return [{ name, automation, file, index, at: places.get(`secrets[${index}]`) ?? FILE_START }];
    });
  });
}

export const MISSING_RUN_SECRET = 'automation/missing-run-secret';

export function warnMissingForRun({ name, file, index, at }: MissingForRun): Diagnostic {
  return {
    severity: 'warning',
    rule: MISSING_RUN_SECRET,
    file,
    line: at.line,
    column: at.column,
    path: `secrets[${index}]`,
    message: `there is no team secret named ${name}: runs of this automation will fail until there is`,
    hint: `create it: dockbell secret create ${name}`,
  };
}
