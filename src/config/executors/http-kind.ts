import { findConfiguredProblem } from '../../platform/address-policy.ts';
import type { ExecutorKind, SettingProblem } from './executor-kind.ts';

/** What the configuration of a factory says about its receiver. */
export interface HttpSettings {
  /** May contain a credential: must not be shown. */
  readonly url: string;
  /** Team secret that signs the requests. */
  readonly secretName: string;
  readonly mode: 'sync' | 'async';
  /** May the receiver have a private, loopback or reserved address? */
  readonly allowPrivateAddresses: boolean;
}

/** Executor `http`: a receiver gets each run as a signed POST. */
export const HTTP_KIND = {
  summary: '`http`: the daemon posts each run to the URL of a receiver, which executes it.',
  place: 'receiver',
  options: {
    'factories[].runs.executor.url': {
      title: 'Receiver URL',
      type: { kind: 'text', format: 'httpUrl' },
      onlyWith: 'http',
      default: null,
      required: true,
      description:
        'URL that gets each run as a POST. It must use https, unless `allowPrivateAddresses` is true. Redirects are not followed.',
      examples: ['https://runner.example.com/runs'],
      env: null,
      secret: true,
    },
    'factories[].runs.executor.secretName': {
      title: 'Signing secret',
      type: { kind: 'text', format: 'secretName' },
      onlyWith: 'http',
      default: null,
      required: true,
      description:
        'Name of the team secret that signs each request according to Standard Webhooks (`whsec_...`). Its scope must include runs of the factory. Changes of the secret take effect with the next run.',
      examples: ['RUN_SIGNING'],
      env: null,
      secret: false,
    },
    'factories[].runs.executor.mode': {
      title: 'Mode',
      type: { kind: 'choice', values: ['sync', 'async'], later: [] },
      onlyWith: 'http',
      default: 'sync',
      description:
        'How the receiver reports the result. `sync`: the response to the request is the result of the run. `async`: the receiver answers with 202, and reports progress and the result to the management API with a token of the run. Set `admin.url` to a URL that the receiver can reach.',
      examples: ['sync', 'async'],
      env: null,
      secret: false,
    },
    'factories[].runs.executor.allowPrivateAddresses': {
      title: 'Allow private addresses',
      type: { kind: 'boolean' },
      onlyWith: 'http',
      default: false,
      description:
        'Whether the receiver may have a private, loopback or reserved address. Each address is checked when Dockbell connects to it. With true, http is allowed to these addresses.',
      examples: [true],
      env: null,
      secret: false,
    },
  },
  check: checkUrl,
} as const satisfies ExecutorKind<HttpSettings>;

/** Checks the protocol of the URL, and an address in it. */
function checkUrl({ url: text, allowPrivateAddresses }: HttpSettings): SettingProblem | null {
  const url = new URL(text);
  if (url.protocol === 'http:' && !allowPrivateAddresses) {
    const problem =
      'must use https: plain HTTP can be modified in transit. For a receiver with a private address, set allowPrivateAddresses to true';
    return { key: 'url', problem };
  }
  const problem = findConfiguredProblem(url, { allowPrivate: allowPrivateAddresses });
  return problem === null ? null : { key: 'url', problem };
}
