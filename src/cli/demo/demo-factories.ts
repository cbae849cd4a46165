import type { AuthMode } from '../../domain/resources/webhook.ts';

/** A factory of the demo. All are in one repository. */
export interface DemoFactory {
  name: string;
  /** Its folder in the repository; `null` for the root. */
  path: string | null;
  /** The secrets that its files name, and what each is for. */
  secrets: Readonly<Record<string, Exclude<AuthMode, 'signature'>>>;
  /** For each webhook: what the demo sends to it. */
  deliveries: Readonly<Record<string, DemoDelivery>>;
}

export interface DemoDelivery {
  headers?: Readonly<Record<string, string>>;
  body: unknown;
}

/** As GitHub sends it when somebody adds a label to an issue, without the keys that no filter and no context of runs use. */
const ISSUE_LABELED: DemoDelivery = {
  headers: { 'X-GitHub-Event': 'issues' },
  body: {
    action: 'labeled',
    label: { name: 'agent' },
    issue: {
      number: 118,
      title: 'Refund is one cent too low',
      html_url: 'https://github.com/acme/payments/issues/118',
      user: { login: 'jonas-acme' },
      labels: [{ name: 'bug' }, { name: 'agent' }],
    },
    repository: { full_name: 'acme/payments' },
    sender: { login: 'maria-acme' },
  },
};

/** Its triggers are webhooks of its senders. */
export const EXAMPLE: DemoFactory = {
  name: 'example',
  path: null,
  secrets: {
    INTERNAL_CI_WEBHOOK_SECRET: 'token',
    UPTIME_WEBHOOK_SECRET: 'url_token',
    GITHUB_WEBHOOK_SECRET: 'token',
  },
  deliveries: {
    'internal-ci': { body: { status: 'failed', branch: 'main', build: 4711, step: 'unit tests', commit: '9fceb02' } },
    uptime: { body: { service: 'checkout', state: 'down', since: '2026-11-21T06:00:00Z' } },
    github: { body: { action: 'opened', pull_request: { number: 42, title: 'Retry uploads', draft: false } } },
  },
};

/** Its triggers are events of GitHub and a schedule. */
export const PAYMENTS: DemoFactory = {
  name: 'payments',
  path: 'payments',
  secrets: { PAYMENTS_GITHUB_WEBHOOK_SECRET: 'token' },
  deliveries: { github: ISSUE_LABELED },
};
