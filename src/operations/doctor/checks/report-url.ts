import type { Check, Symptom } from '../patient.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Can receivers of the executor `http` report to the management API? */
export const reportUrlCheck: Check = {
  name: 'report-url',
  run: ({ config: { admin, factories } }): Symptom[] => {
    if (admin.url !== null) return [];
    return factories.flatMap(({ name, runs: { executor } }) => {
      if (executor?.type !== 'http' || executor.mode !== 'async') return [];
      if (LOOPBACK.test(new URL(executor.url).hostname)) return [];
      const message = `the receiver of factory ${name} reports to the address of the admin listener, because admin.url is not set`;
      const hint = 'Set admin.url to a URL with TLS that the receiver can reach. Otherwise its runs end as timeout.';
      return [{ severity: 'warning', message, hint }];
    });
  },
};
