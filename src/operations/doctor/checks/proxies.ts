import type { Check, Patient, Symptom } from '../patient.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Does the daemon know which proxies write the address of the client? */
export const proxiesCheck: Check = {
  name: 'trusted-proxies',
  run: (patient) => [...examineMissing(patient), ...examineTooWide(patient), ...examineUnread(patient)],
};

/** The daemon itself serves HTTP, so a public URL with https has a proxy in front of it. */
function examineMissing({ config: { baseUrl, trustedProxies } }: Patient): Symptom[] {
  if (baseUrl === null || trustedProxies.length > 0) return [];
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== 'https:' || LOOPBACK.test(hostname)) return [];
  return [
    {
      severity: 'warning',
      message: `baseUrl ${baseUrl} leads through a proxy, but trustedProxies is empty: all clients have the address of the proxy`,
      hint: 'Set trustedProxies to the address of the proxy. Otherwise one client with wrong credentials uses up the budget of all.',
    },
  ];
}

function examineTooWide({ config: { trustedProxies } }: Patient): Symptom[] {
  const wide = trustedProxies.filter((entry) => /\/0$/.test(entry));
  if (wide.length === 0) return [];
  return [
    {
      severity: 'warning',
      message: `trustedProxies contains ${wide.join(', ')}: every client can choose its address with X-Forwarded-For`,
      hint: 'List only the addresses of your proxies.',
    },
  ];
}

function examineUnread({ running }: Patient): Symptom[] {
  const { count, last } = running?.unreadHops() ?? { count: 0, last: null };
  if (count === 0) return [];
  const hops = count === 1 ? '1 hop was' : `${count} hops were`;
  return [
    {
      severity: 'warning',
      message: `${hops} not understood in X-Forwarded-For since the start, the last one ${JSON.stringify(last)}: their clients have the address of the proxy`,
      hint: 'Configure the proxy to write the IP address of its client. A port and brackets are allowed.',
    },
  ];
}
