import { LOOP_GUARD } from '../../domain/words/runs.ts';
import type { Option } from './option.ts';

/** Limits of requests and definitions. They are part of the table of options. Offline commands load only these. */
export const LIMIT_OPTIONS = {
  'limits.deliveriesPerMinute': {
    title: 'Deliveries per minute',
    type: { kind: 'integer', min: 1, max: 100_000 },
    default: 60,
    unit: 'requests',
    description: 'Maximum number of authenticated requests per webhook in any 60 seconds. Further requests get `429`.',
    examples: [60, 600],
    env: 'DOCKBELL_LIMITS_DELIVERIES_PER_MINUTE',
    secret: false,
  },
  'limits.providerDeliveriesPerMinute': {
    title: 'Deliveries per minute of providers',
    type: { kind: 'integer', min: 1, max: 100_000 },
    default: 600,
    unit: 'requests',
    description:
      'Maximum number of authenticated requests per webhook that serves a provider (key `serves`, or its signature scheme) in any 60 seconds, in place of `limits.deliveriesPerMinute`. Further requests get `429`. Most providers do not send them again.',
    examples: [600, 6000],
    env: 'DOCKBELL_LIMITS_PROVIDER_DELIVERIES_PER_MINUTE',
    secret: false,
  },
  'limits.failedAuthPerMinute': {
    title: 'Failed authentications per minute',
    type: { kind: 'integer', min: 1, max: 100_000 },
    default: 30,
    unit: 'requests',
    description:
      'Maximum number of failed authentications per client address and webhook in any 60 seconds that get `401`. Further ones get `429`.',
    examples: [30],
    env: 'DOCKBELL_LIMITS_FAILED_AUTH_PER_MINUTE',
    secret: false,
  },
  'limits.bodyBytes': {
    title: 'Body size',
    type: { kind: 'integer', min: 1, max: 16_777_216 },
    default: 262_144,
    unit: 'bytes',
    description: 'Maximum size of a delivery body. Longer bodies get `413`.',
    examples: [262_144],
    env: 'DOCKBELL_LIMITS_BODY_BYTES',
    secret: false,
  },
  'limits.loopGuardRuns': {
    title: 'Runs of the loop guard',
    type: { kind: 'integer', min: 1, max: 10_000 },
    default: LOOP_GUARD.runs,
    unit: 'runs',
    description:
      'Maximum number of runs of one automation for the same issue, pull request or thread within `limits.loopGuardWindow`. Further deliveries start nothing.',
    examples: [LOOP_GUARD.runs, 50],
    env: 'DOCKBELL_LIMITS_LOOP_GUARD_RUNS',
    secret: false,
  },
  'limits.loopGuardWindow': {
    title: 'Window of the loop guard',
    type: { kind: 'duration', min: '1m', max: '1d' },
    default: '10m',
    description: 'Time within which the runs of `limits.loopGuardRuns` are counted.',
    examples: ['10m', '1h'],
    env: 'DOCKBELL_LIMITS_LOOP_GUARD_WINDOW',
    secret: false,
  },
  'limits.webhooksPerFactory': {
    title: 'Webhooks per factory',
    type: { kind: 'integer', min: 1, max: 10_000 },
    default: 20,
    unit: 'webhooks',
    description:
      'Maximum number of webhooks per factory, including disabled ones. `dockbell validate` works offline and always uses the default.',
    examples: [20],
    env: 'DOCKBELL_LIMITS_WEBHOOKS_PER_FACTORY',
    secret: false,
  },
} as const satisfies Readonly<Record<`limits.${string}`, Option>>;
