import { countOf } from './quantities.ts';

/** `Webhook.traffic` of the management API, as far as it is described. */
interface Traffic {
  last_24_hours: { accepted: number; duplicate: number; rejected: number };
  acceptance_rate: number | null;
}

/** `Automation.results` of the management API, as far as it is described. */
interface Results {
  recent_runs: number;
  recent_failed: number;
  failed_in_a_row: number;
}

/** The number of accepted requests in the last 24 hours. A duplicate is accepted, too: its sender gets `202`. */
export function describeAcceptance({ last_24_hours, acceptance_rate }: Traffic): string {
  if (acceptance_rate === null) return 'no requests in the last 24 hours';
  const { accepted, duplicate, rejected } = last_24_hours;
  const all = accepted + duplicate + rejected;
  const requests = countOf(all, 'request');
  return `${accepted + duplicate} of ${requests} accepted in the last 24 hours (${formatRate(acceptance_rate)})`;
}

/** A share as a percentage. Only a complete share is 100 %, and only an empty one 0 %. */
export function formatRate(rate: number): string {
  if (rate === 0 || rate === 1) return `${rate * 100} %`;
  return `${Math.min(99.9, Math.max(0.1, Math.round(rate * 1000) / 10))} %`;
}

/** The number of the last runs that failed; `null` if none has ended. */
export function describeResults({ recent_runs, recent_failed, failed_in_a_row }: Results): string | null {
  if (recent_runs === 0) return null;
  if (recent_runs === 1) return recent_failed === 1 ? 'the only run failed' : 'the only run succeeded';
  if (failed_in_a_row === recent_runs) return `all of the last ${recent_runs} runs failed`;
  const failed = `${recent_failed} of the last ${recent_runs} runs failed`;
  return failed_in_a_row > 1 ? `${failed}, the last ${failed_in_a_row} in a row` : failed;
}

interface Rejections {
  count: number;
  /** Number of the most recent ones that the time and the addresses are about. */
  examined: number;
  /** Number of all requests in the last 24 hours; `null` if these are not counted. */
  of: number | null;
  /** In the words of the reader. */
  since: string;
  reasonText: string | null;
  addresses: readonly string[];
  otherAddresses: number;
}

/** For example: rejected 4 of 10 requests in the last 24 hours, since 03:10, from 192.0.2.7: The token is not the secret. */
export function describeRejections(rejections: Rejections): string {
  const { count, examined, of, since, reasonText, addresses, otherAddresses } = rejections;
  const part = examined < count ? `the last ${examined} ` : '';
  const requests =
    of === null
      ? `${countOf(count, 'request')} since ${since}`
      : `${count} of ${countOf(of, 'request')} in the last 24 hours, ${part}since ${since},`;
  const others = otherAddresses === 0 ? '' : ` and ${countOf(otherAddresses, 'other address', 'other addresses')}`;
  const reason = reasonText === null ? '.' : `: ${reasonText}`;
  return `rejected ${requests} from ${addresses.join(', ')}${others}${reason}`;
}
