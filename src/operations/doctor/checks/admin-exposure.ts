import { isIP } from 'node:net';
import type { Check, Symptom } from '../patient.ts';

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
