import { DELAY_PATTERN } from '../../words/duration.ts';
import type { RunPolicyKey } from '../../words/run-policy-keys.ts';
import { DEFAULT_BACKOFF, DEFAULT_MAX_BACKOFF, RETRIED_FAILURES, type RetryPolicy } from '../run-policy.ts';
import { defineFields, type Field } from './fields.ts';
import { json } from './value-types.ts';

const delay = (title: string, description: string, example: string) => ({
  type: 'string',
  title,
  description,
  pattern: DELAY_PATTERN,
  patternErrorMessage: 'a duration from 1s to 7d, such as 30s, 5m or 1h',
  examples: [example],
});

const RETRY_KEYS = {
  maxAttempts: {
    type: 'integer',
    title: 'Maximum attempts',
    description: 'Maximum number of attempts of a run, the first one included.',
    minimum: 2,
    maximum: 20,
    examples: [3],
  },
  backoff: delay(
    'Backoff',
    `Time between the first attempt and the second, which each further attempt doubles. Default: ${DEFAULT_BACKOFF}.`,
    '30s',
  ),
  maxBackoff: delay(
    'Longest backoff',
    `The longest time between two attempts. Default: ${DEFAULT_MAX_BACKOFF}.`,
    '30m',
  ),
  on: {
    type: 'array',
    title: 'On',
    description:
      'The failures that are retried: timeout and interrupted, and failed for all others. Default: all of them.',
    items: {
      type: 'string',
      enum: [...RETRIED_FAILURES],
      title: 'Failure',
      description: 'A kind of failure.',
      examples: ['timeout'],
    },
    minItems: 1,
    uniqueItems: true,
    examples: [['failed', 'timeout']],
  },
  noRetryExitCodes: {
    type: 'array',
    title: 'Exit codes without retry',
    description: 'Exit codes of a command that mean that another attempt would fail too.',
    items: {
      type: 'integer',
      minimum: 1,
      maximum: 255,
      title: 'Exit code',
      description: 'An exit code.',
      examples: [78],
    },
    uniqueItems: true,
    maxItems: 50,
    examples: [[78]],
  },
};

const policyOrNull = <Policy>() => json<Policy | null>({ type: ['object', 'null'], additionalProperties: true });

/** The fields of an automation that say how its runs start, and start again. */
export const RUN_POLICY_FIELDS = defineFields({
  retry: {
    type: policyOrNull<RetryPolicy>(),
    description: 'When a run that failed is started again; `null` for never.',
    declared: {
      default: null,
      schema: {
        title: 'Retry',
        description: 'Starts a run again after it failed. Without this key, a run has one attempt.',
        examples: [{ maxAttempts: 3, backoff: '30s', maxBackoff: '30m', noRetryExitCodes: [78] }],
        properties: RETRY_KEYS,
        required: ['maxAttempts'],
        additionalProperties: false,
      },
    },
    editable: 'create and change',
    planned: true,
    tagged: true,
    audited: true,
  },
} satisfies { readonly [key in RunPolicyKey]: Field });
