import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { checkSecretForWebhook } from '../../definitions/check/check-secret.ts';
import { generateSecret } from '../../definitions/signature/sign/generate-secret.ts';
import { validateTree } from '../../definitions/validate-tree.ts';
import type { FactoryDefinition, WebhookDefinition } from '../../domain/definitions/definition.ts';
import { type Diagnostic, hasErrors } from '../../domain/definitions/diagnostic.ts';
import type { SecretHistory, SecretStore } from '../../domain/ports/secret-store.ts';
import type { ScopeChange } from '../../domain/secrets/secret-scope.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { readDirectoryTree } from '../../reconcile/source/directory-source.ts';

/** Where a secret of `dockbell dev` comes from. A generated value is shown, any other one never is. */
type DevSecret = { origin: 'environment' | 'file' } | { origin: 'generated'; value: string };

interface DevSecretParts {
  dir: string;
  /** The factory that may use the secrets. */
  factory: string;
  store: Pick<SecretStore, 'put'> & SecretHistory;
  /** Variables whose names are names of secrets: of the environment, and of the file of `--env-file`. */
  environment: Readonly<Record<string, string | undefined>>;
  file: Readonly<Record<string, string | undefined>>;
  webhooksPerFactory: number;
}

/** Who stored a generated value, so that the next start with the same data directory shows it, too. */
const GENERATOR = 'dockbell dev';

/** Supplies the secrets that a definition names: from the environment, from a file, or generated. */
export class DevSecrets {
  readonly #parts: DevSecretParts;
  readonly #known = new Map<string, DevSecret>();

  constructor(parts: DevSecretParts) {
    this.#parts = parts;
  }

  /** `undefined` for a given value of an earlier start with the same data directory. */
  find(name: string): DevSecret | undefined {
    return this.#known.get(name);
  }

  /**
   * Stores the secrets of all webhooks, and those of the automations with findings, as far as they do not exist.
   *
   * @param missing what an apply found to be missing. Default: nothing
   * @returns whether all of them exist now
   */
  async provide(missing: readonly Diagnostic[] = []): Promise<boolean> {
    const definition = await this.#readFiles(missing);
    if (definition === null) return false;
    const supplied: boolean[] = [];
    for (const webhook of definition.webhooks) {
      supplied.push(await this.#supply(webhook.secretName, () => generateFor(webhook)));
      const { verifyTokenSecretName: verifyToken } = webhook;
      if (verifyToken !== null)
        supplied.push(await this.#supply(verifyToken, () => generateSecret('token', randomBytes)));
    }
    // What a run uses is issued by others, so only the user can supply it.
    for (const name of listRunSecrets(definition)) supplied.push(await this.#supply(name, () => null));
    return !supplied.includes(false);
  }

  /** The definition of the files with findings. The other automations are not read. */
  async #readFiles(missing: readonly Diagnostic[]): Promise<FactoryDefinition | null> {
    const { dir, webhooksPerFactory } = this.#parts;
    const read = await readDirectoryTree(dir);
    if (!read.ok) return null;
    const { tree } = read;
    const named = new Set(missing.map(({ file }) => file));
    const entries = tree.entries.filter(
      ({ path }) => !path.startsWith('automations/') || named.has(`${tree.prefix}${path}`),
    );
    return validateTree({ ...tree, entries }, { webhooksPerFactory, knownUids: new Map() }).definition;
  }

  /** Does the secret exist now? */
  async #supply(name: string, generate: () => string | null): Promise<boolean> {
    const { store, environment, file, factory } = this.#parts;
    if (this.#known.has(name) || (await this.#recall(name))) return true;
    const found = this.#findGiven(name, environment, 'environment') ?? this.#findGiven(name, file, 'file');
    const value = found?.value ?? generate();
    if (value === null) return false;
    const scope: ScopeChange = { factories: [factory], uses: ['webhook', 'run'] };
    await store.put(name, new SecretValue(value), 'put', { scope, by: found === null ? GENERATOR : null });
    this.#known.set(name, found === null ? { origin: 'generated', value } : { origin: found.origin });
    return true;
  }

  /** Does the store of an earlier start have the secret? */
  async #recall(name: string): Promise<boolean> {
    const [newest] = await this.#parts.store.versions(name, 1);
    if (newest === undefined || newest.replacedAt !== null) return false;
    if (newest.createdBy === GENERATOR) this.#known.set(name, { origin: 'generated', value: newest.value.reveal() });
    return true;
  }

  #findGiven(name: string, variables: DevSecretParts['environment'], origin: 'environment' | 'file') {
    const value = variables[name];
    return value === undefined || value === '' ? null : { value, origin };
  }
}

function listRunSecrets({ automations }: FactoryDefinition): string[] {
  return automations
    .flatMap(({ overrides }) => (Array.isArray(overrides.secrets) ? (overrides.secrets as unknown[]) : []))
    .filter((name) => typeof name === 'string');
}

/** A secret that the webhook accepts; `null` if none of the known forms fits. */
function generateFor(webhook: WebhookDefinition): string | null {
  if (webhook.authMode !== 'signature') return generateSecret(webhook.authMode, randomBytes);
  for (const generate of FORMS) {
    const value = generate();
    if (!hasErrors(checkSecretForWebhook(webhook, new SecretValue(value)))) return value;
  }
  return null;
}

/**
 * The forms that secrets of signature schemes have: any text, a Standard Webhooks secret, user and password. Then public
 * keys and a topic: with them the definition applies, although only the provider can sign.
 */
const FORMS: readonly (() => string)[] = [
  () => generateSecret('token', randomBytes),
  () => generateSecret('standard_webhooks', randomBytes),
  () => `dockbell:${generateSecret('token', randomBytes)}`,
  () => randomBytes(32).toString('hex'),
  () => 'arn:aws:sns:eu-central-1:000000000000:dockbell-dev',
  () => exportKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey),
  () => exportKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey),
];

function exportKey(key: ReturnType<typeof generateKeyPairSync>['publicKey']): string {
  return key.export({ format: 'pem', type: 'spki' }) as string;
}
