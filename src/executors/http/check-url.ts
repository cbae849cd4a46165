import { findAddressProblem, literalAddress } from '../../outbound/address-policy.ts';
import type { SettingProblem } from '../executor-kind.ts';
import type { HttpSettings } from './http-settings.ts';

/** Checks the protocol of the URL, and an address in it. Addresses of names are checked when they are connected to. */
export function checkUrl({ url: text, allowPrivateAddresses }: HttpSettings): SettingProblem | null {
  const url = new URL(text);
  const address = literalAddress(url);
  if (url.protocol === 'http:' && !allowPrivateAddresses) {
    const problem =
      'must use https: plain HTTP can be modified in transit. For a receiver with a private address, set allowPrivateAddresses to true';
    return { key: 'url', problem };
  }
  const rejected = address && findAddressProblem(url, address, { allowPrivate: allowPrivateAddresses });
  if (!rejected) return null;
  return {
    key: 'url',
    problem: `cannot be used: ${rejected}. For a private address, set allowPrivateAddresses to true`,
  };
}
