import type { RequestDiagnosis } from '../../definitions/signature/diagnose/diagnose-request.ts';
import type { SecretCandidate } from '../../definitions/signature/rejected-request.ts';
import type { Scheme } from '../../definitions/signature/scheme.ts';
import { packScheme } from '../../definitions/signature/schemes/resolve-scheme.ts';
import type { DeliveryDiagnosis } from '../../domain/ports/delivery-control.ts';
import type { SecretHistory, SecretStore, SecretVersion } from '../../domain/ports/secret-store.ts';
import { describeUsedVersion } from '../../domain/words/credentials.ts';
import type { DiagnosisTask } from './diagnosis-thread.ts';

export interface MistakeTrial {
  secrets: Pick<SecretStore, 'open' | 'resolve'> & SecretHistory;
  thread: { run(task: DiagnosisTask): Promise<RequestDiagnosis> };
}

/** Which secret a request is tried with: the version that counts comes first. */
interface TriedSecret {
  name: string;
  version: number;
}

/** Tests the common mistakes with every version of a secret; `null` if the required version no longer exists. */
export async function tryMistakes(
  { secrets, thread }: MistakeTrial,
  secret: TriedSecret,
  { scheme, ...request }: Omit<DiagnosisTask, 'scheme' | 'secrets'> & { scheme: Scheme },
): Promise<RequestDiagnosis | null> {
  const versions = await collectVersions(secrets, secret);
  return versions && thread.run({ ...request, scheme: packScheme(scheme), secrets: versions });
}

/** Maximum number of versions to test. */
const MAX_VERSIONS = 20;

/** The version that counts first, then the others, newest first. */
async function collectVersions(
  secrets: MistakeTrial['secrets'],
  { name, version: counting }: TriedSecret,
): Promise<[SecretCandidate, ...SecretCandidate[]] | null> {
  const first = await secrets.open(name, counting);
  if (first === null) return null;
  const others = (await secrets.versions(name, MAX_VERSIONS)).filter(({ version }) => version !== counting);
  const describe = (other: SecretVersion) => toCandidate(name, counting, other);
  return [{ version: counting, text: first.reveal() }, ...others.map(describe)];
}

function toCandidate(secretName: string, checked: number, other: SecretVersion): SecretCandidate {
  const { version, value, createdAt, createdBy, replacedAt, replacedBy } = other;
  const stored = { at: createdAt, by: createdBy };
  const replaced = replacedAt === null ? null : { at: replacedAt, by: replacedBy };
  const history = describeUsedVersion({ secretName, version, checked, stored, replaced });
  return { version, text: value.reveal(), history };
}

/** The response of the management API if nothing explains a rejection. */
export function presentUnexplained({
  tried,
  lacksCertificate,
}: Extract<RequestDiagnosis, { ok: false }>): DeliveryDiagnosis {
  if (lacksCertificate) return { mistake: null, sentence: NEEDS_CERTIFICATE, tried };
  const sentence =
    'None of the common mistakes explains it. Set the secret again at both ends, and compare the definition of the webhook with the page of its scheme.';
  return { mistake: null, sentence, tried };
}

const NEEDS_CERTIFICATE =
  'Everything that can be checked without the certificate of SNS is correct. Make sure that no proxy or function changes the message, and diagnose the request with `dockbell diagnose --request` and `--certificate`.';
