import { messageOf } from '../../../domain/errors.ts';
import type { Check, RunningDaemon, Symptom } from '../patient.ts';

const TIMEOUT_MS = 10_000;

/**
 * Do deliveries to the public URL reach this daemon? Sends a request for a random webhook UID that nobody else knows. The
 * answer is that of any unknown webhook: only the replicas know that one of them has seen this UID, so nobody learns anything.
 */
export const baseUrlCheck: Check = {
  name: 'base-url',
  isOnline: true,
  run: async ({ running }) => {
    const symptom = running === null ? null : await probeBaseUrl(running);
    return symptom === null ? [] : [symptom];
  },
};

/** Sends one request. Resolves with `null` if it arrived. */
export async function probeBaseUrl({
  baseUrl,
  expectProbe,
}: Pick<RunningDaemon, 'baseUrl' | 'expectProbe'>): Promise<Symptom | null> {
  const expected = expectProbe();
  try {
    const answer = await fetch(`${baseUrl}/webhooks/w/${expected.uid}`, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.body?.cancel();
    return (await expected.wasSeen()) ? null : describeOther(baseUrl, answer);
  } catch (error) {
    return {
      severity: 'error',
      message: `baseUrl ${baseUrl} cannot be reached from this machine: ${explain(error)}`,
      hint: 'Check DNS, the certificate, the proxy and the firewall. A network may not route a machine to its own public address: test the URL from outside then.',
    };
  } finally {
    expected.end();
  }
}

function describeOther(baseUrl: string, { status, headers }: Response): Symptom {
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null) {
    return {
      severity: 'error',
      message: `baseUrl ${baseUrl} redirects deliveries (status ${status})`,
      hint: 'Senders do not follow redirects. Set baseUrl to the final address, for example with https.',
    };
  }
  return {
    severity: 'error',
    message: `baseUrl ${baseUrl} is answered (status ${status}), but deliveries to it do not reach this daemon`,
    hint: 'The proxy must forward /webhooks/w/ to the ingress listener of this daemon. Another server or another daemon answers.',
  };
}

/** `fetch` hides the reason in its cause. */
function explain(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return messageOf(cause);
}
