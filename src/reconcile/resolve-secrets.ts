import type { FactoryDefinition, WebhookDefinition } from '../core/definition.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import { hasErrors } from '../core/diagnostic.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import { applyLint } from '../core/rules.ts';
import type { SecretValue } from '../core/secret-value.ts';
import { checkSecretForWebhook } from '../definitions/check-secret.ts';

/** Version and value of a secret. */
export interface ResolvedSecret {
  version: number;
  value: SecretValue;
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
}

/**
 * Resolves every secret that a definition names, and checks that each value can serve its webhook's mode.
 *
 * @param mayJudge may anything be told of this secret's value? Asked before a check, since a finding tells a little
 */
export async function resolveSecrets(
  definition: FactoryDefinition,
  secrets: Pick<SecretStore, 'resolve' | 'list'>,
  mayJudge: (secretName: string) => boolean = () => true,
): Promise<ResolvedSecrets> {
  const byWebhook = new Map<string, ResolvedSecret>();
  const verifyTokens = new Map<string, ResolvedSecret>();
  const missing: Diagnostic[] = [];
  const findings: Diagnostic[] = [];
  const resolve = createOnceResolver(secrets);
  for (const webhook of definition.webhooks) {
    const secret = await resolve(webhook.secretName);
    if (secret === null) missing.push(reportMissing(webhook, 'secretName'));
    else {
      byWebhook.set(webhook.name, secret);
      if (mayJudge(webhook.secretName)) {
        findings.push(...applyLint(checkSecretForWebhook(webhook, secret.value), definition.lint));
      }
    }
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

/** Webhooks that share a secret get the same version of it, also where it changes at this moment (threat model S4). */
function createOnceResolver(secrets: Pick<SecretStore, 'resolve'>): (name: string) => Promise<ResolvedSecret | null> {
  const resolved = new Map<string, Promise<ResolvedSecret | null>>();
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
    hint: `create it: dockbell secret create ${name}; the apply is then tried again by itself`,
  };
}

/** Secrets that only runs need: a run without one fails, the webhooks do not depend on it. */
async function findMissingForRuns(
  { automations }: FactoryDefinition,
  secrets: Pick<SecretStore, 'list'>,
): Promise<MissingForRun[]> {
  const existing = new Set((await secrets.list()).map((secret) => secret.name));
  return automations.flatMap(({ name: automation, file, overrides }) => {
    const names = Array.isArray(overrides.secrets) ? overrides.secrets : [];
    return names
      .filter((name): name is string => typeof name === 'string' && !existing.has(name))
      .map((name) => ({ name, automation, file }));
  });
}

function warnMissingForRun({ name, file }: MissingForRun): Diagnostic {
  return {
    severity: 'warning',
    rule: 'automation/missing-run-secret',
    file,
    line: 1,
    column: 1,
    path: 'secrets',
    message: `there is no team secret named ${name}: runs of this automation will fail until there is`,
    hint: `create it: dockbell secret create ${name}`,
  };
}
