import { findConfiguredProblem } from '../../../outbound/address-policy.ts';
import type { SettingProblem } from '../executor-kind.ts';
import type { HttpSettings } from './http-settings.ts';

/** Checks the protocol of the URL, and an address in it. */
export function checkUrl({ url: text, allowPrivateAddresses }: HttpSettings): SettingProblem | null {
  const url = new URL(text);
  if (url.protocol === 'http:' && !allowPrivateAddresses) {
    const problem =
      'must use https: plain HTTP can be modified in transit. For a receiver with a private address, set allowPrivateAddresses to true';
    return { key: 'url', problem };
  }
  const problem = findConfiguredProblem(url, { allowPrivate: allowPrivateAddresses });
  return problem === null ? null : { key: 'url', problem };
}
