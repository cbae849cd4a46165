import type { ExecutorKind } from './executor-kind.ts';

/** Executor `queue`: workers on any machine claim the runs under a lease (`runs/run-leases.ts`). */
export const QUEUE_KIND = {
  summary: '`queue`: workers on any machine claim the runs through the management API.',
  place: 'worker',
  options: {
    'factories[].runs.executor.lease': {
      title: 'Lease',
      type: { kind: 'duration', min: '1s', max: '1h' },
      onlyWith: 'queue',
      default: '1m',
      description:
        'Maximum time between heartbeats of a worker. After it, the run is given to another worker as its next attempt, up to three attempts. If the worker recorded that the attempt was started, it is only repeated with `runs.retry: interrupted` or the `retry` of its automation.',
      examples: ['1m', '5m'],
      env: null,
      secret: false,
    },
  },
} as const satisfies ExecutorKind<object>;
