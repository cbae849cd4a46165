import type { ExecutorKind } from '../executor-kind.ts';
import type { HttpSettings } from './http-settings.ts';

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
  // Imported here: commands read this table for its options, and execute nothing.
  check: async (settings) => (await import('./check-url.ts')).checkUrl(settings),
  create: async (settings, parts) => (await import('./http-executor.ts')).createHttpExecutor(settings, parts),
} as const satisfies ExecutorKind<HttpSettings>;
