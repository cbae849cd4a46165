import { countOf } from './count-of.ts';

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
