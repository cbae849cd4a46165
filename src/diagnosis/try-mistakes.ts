import type { SecretStore } from '../core/ports/secret-store.ts';
import type { RequestDiagnosis } from '../signature/diagnose/diagnose-request.ts';
import type { SecretCandidate } from '../signature/rejected-request.ts';
import type { Scheme } from '../signature/scheme.ts';
import { packScheme } from '../signature/schemes/resolve-scheme.ts';
import type { DiagnosisTask } from './diagnosis-thread.ts';

/** What was wrong with a rejected delivery. None of it ever holds anything of a secret or of the request. */
export interface DeliveryDiagnosis {
  /** For programs: `none` where the request is good by now; `null` where nothing explains the rejection. */
  mistake: string | null;
  /** For people: which one, and what to do. */
  sentence: string;
  /** If nothing explains it: the mistakes that were tested. */
  tried: string[];
}

export interface MistakeTrial {
  secrets: Pick<SecretStore, 'open' | 'resolve'>;
  thread: { run(task: DiagnosisTask): Promise<RequestDiagnosis> };
}

/** Which secret a request is tried with: the version that counts comes first. */
export interface TriedSecret {
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

/** Number of earlier versions to test. The store keeps only those that a webhook is pinned to, and some for a limited time. */
const VERSIONS_BACK = 20;

/** The version that counts first, then the newest and those before. */
async function collectVersions(
  secrets: MistakeTrial['secrets'],
  { name, version: counting }: TriedSecret,
): Promise<[SecretCandidate, ...SecretCandidate[]] | null> {
  const first = await secrets.open(name, counting);
  if (first === null) return null;
  const newest = (await secrets.resolve(name))?.version ?? counting;
  const others: SecretCandidate[] = [];
  for (let version = newest; version >= Math.max(1, newest - VERSIONS_BACK); version--) {
    const value = version === counting ? null : await secrets.open(name, version);
    if (value !== null) others.push({ version, text: value.reveal() });
  }
  return [{ version: counting, text: first.reveal() }, ...others];
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
