import { isIP } from 'node:net';
import { isLoopbackUrl } from '../../../domain/words/names.ts';
import type { Check, Patient, Symptom } from '../patient.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1)$/;
const EVERY_ADDRESS: readonly string[] = ['0.0.0.0', '::'];

/** Who can reach the management API? */
export const adminExposureCheck: Check = {
  name: 'admin-listener',
  run: ({ config: { admin } }): Symptom[] => {
    const { host, url, openMetrics } = admin;
    if (LOOPBACK.test(host)) return [];
    const place = EVERY_ADDRESS.includes(host) ? 'all addresses of this machine' : host;
    const metrics = openMetrics ? ', and /metrics needs no token' : '';
    const hint = 'Bind admin.host to 127.0.0.1 or to a private address, and use a proxy with TLS or SSH to reach it.';
    const isPublic = isIP(host) !== 0 && !isPrivate(host);
    const isPlain = url?.startsWith('https:') !== true;
    if (!isPublic && !isPlain && metrics === '') return [];
    const tls = isPlain ? ' without TLS: tokens and passwords can be read on the network' : '';
    return [
      { severity: 'warning', message: `the admin listener accepts connections on ${place}${tls}${metrics}`, hint },
    ];
  },
};

function isPrivate(host: string): boolean {
  return /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|169\.254\.|f[cd]|fe80:)/i.test(
    host,
  );
}

/** Can receivers of the executor `http` report to the management API? */
export const reportUrlCheck: Check = {
  name: 'report-url',
  run: ({ config: { admin, factories } }): Symptom[] => {
    if (admin.url !== null) return [];
    return factories.flatMap(({ name, runs: { executor } }) => {
      if (executor?.type !== 'http' || executor.mode !== 'async') return [];
      if (isLoopbackUrl(executor.url)) return [];
      const message = `the receiver of factory ${name} reports to the address of the admin listener, because admin.url is not set`;
      const hint = 'Set admin.url to a URL with TLS that the receiver can reach. Otherwise its runs end as timeout.';
      return [{ severity: 'warning', message, hint }];
    });
  },
};

/** Does the daemon know which proxies write the address of the client? */
export const proxiesCheck: Check = {
  name: 'trusted-proxies',
  run: (patient) => [...examineMissing(patient), ...examineTooWide(patient), ...examineUnread(patient)],
};

/** The daemon itself serves HTTP, so a public URL with https has a proxy in front of it. */
function examineMissing({ config: { baseUrl, trustedProxies } }: Patient): Symptom[] {
  if (baseUrl === null || trustedProxies.length > 0) return [];
  if (new URL(baseUrl).protocol !== 'https:' || isLoopbackUrl(baseUrl)) return [];
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
