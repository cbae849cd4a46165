import {
  BUDGET_OUTCOMES,
  type BudgetPolicy,
  CONCURRENCY_MODES,
  type ConcurrencyPolicy,
  DEFAULT_BACKOFF,
  DEFAULT_MAX_BACKOFF,
  RETRIED_FAILURES,
  type RetryPolicy,
} from '../runs/run-policy.ts';
import { MAX_WORKER_LABELS, WORKER_LABEL_PATTERN } from '../runs/worker-labels.ts';
import { TEMPLATE_PATTERN, type WorkspacePolicy } from '../runs/workspace.ts';
import type { RunPolicyKey } from '../words/automations.ts';
import { DELAY_PATTERN, PERIOD_PATTERN } from '../words/quantities.ts';
import { defineFields, type Field } from './fields.ts';
import { json, textOrNull } from './value-types.ts';

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

const TEMPLATE_ERROR = 'a text without spaces, or a template such as {{ pull_request.head.sha }}';

const KEY_PATH = {
  type: 'string',
  title: 'Path',
  description: 'Keys from the root of the payload, separated by dots.',
  pattern: '^[^.]{1,100}(\\.[^.]{1,100}){0,9}$',
  patternErrorMessage: 'at most 10 keys, separated by dots, such as pull_request.number',
  examples: ['pull_request.number'],
};

const CONCURRENCY_KEYS = {
  key: {
    title: 'Key',
    description:
      'The path of a value in the payload, or a list of paths. Runs with the same values share the limit. Without a key, all runs of the automation do.',
    type: ['string', 'array'],
    pattern: KEY_PATH.pattern,
    patternErrorMessage: KEY_PATH.patternErrorMessage,
    items: KEY_PATH,
    minItems: 1,
    maxItems: 5,
    uniqueItems: true,
    examples: ['pull_request.number', ['repository.id', 'ref']],
  },
  limit: {
    type: 'integer',
    title: 'Limit',
    description: 'Maximum number of runs with the same key at the same time. Default: 1.',
    minimum: 1,
    maximum: 1000,
    examples: [1],
  },
  mode: {
    type: 'string',
    title: 'Mode',
    description:
      'The outcome of a run over the limit: queue lets it wait for its turn, latest also cancels the runs that wait before it, and skip ends it without a start. Default: queue.',
    enum: [...CONCURRENCY_MODES],
    examples: ['latest'],
  },
  cancelRunning: {
    type: 'boolean',
    title: 'Cancel running runs',
    description: 'With mode latest: whether a new run also cancels the running ones with its key. Default: false.',
    examples: [true],
  },
};

const BUDGET_KEYS = {
  runs: {
    type: 'integer',
    title: 'Runs',
    description: 'Maximum number of attempts that start in the period. Automatic retries count too.',
    minimum: 1,
    maximum: 10_000,
    examples: [20],
  },
  per: {
    type: 'string',
    title: 'Period',
    description: 'The length of the period, which moves with the time.',
    pattern: PERIOD_PATTERN,
    patternErrorMessage: 'a duration from 1s to 31d, such as 1h or 1d',
    examples: ['1h'],
  },
  over: {
    type: 'string',
    title: 'Over the budget',
    description:
      'The outcome of a run over the budget: queue lets it wait, skip ends it without a start. Default: queue.',
    enum: [...BUDGET_OUTCOMES],
    examples: ['skip'],
  },
};

const WORKSPACE_KEYS = {
  repository: {
    type: 'string',
    title: 'Repository',
    description:
      'URL of the repository, or a template over paths of the payload. runs.workspaces in dockbell.yaml must list it. Default: the repository of the factory.',
    pattern: TEMPLATE_PATTERN,
    patternErrorMessage: TEMPLATE_ERROR,
    examples: ['https://github.com/acme/payments.git', '{{ repository.clone_url }}'],
  },
  ref: {
    type: 'string',
    title: 'Ref',
    description:
      'A branch, a tag, a full ref or a commit ID, or a template over paths of the payload. Default: the commit that is live in the repository of the factory, and the default branch of another one.',
    pattern: TEMPLATE_PATTERN,
    patternErrorMessage: TEMPLATE_ERROR,
    examples: ['{{ pull_request.head.sha }}', 'main'],
  },
};

const policyOrNull = <Policy>() => json<Policy | null>({ type: ['object', 'null'], additionalProperties: true });

/** A label of a worker, as users choose it. */
const WORKER_LABEL: { type: string; pattern: string; patternErrorMessage: string } = {
  type: 'string',
  pattern: WORKER_LABEL_PATTERN.source,
  patternErrorMessage: 'letters, digits, ".", "_" and "-", at most 64 characters, such as gpu or linux-arm64',
};

/** The fields of an automation that say how its runs start, and start again. */
export const RUN_POLICY_FIELDS = defineFields({
  concurrency: {
    type: policyOrNull<ConcurrencyPolicy>(),
    description:
      'The number of runs with the same key that run at the same time; `null` for as many as the factory allows.',
    declared: {
      default: null,
      schema: {
        title: 'Concurrency',
        description: 'Limits the runs with the same key, such as those of one pull request.',
        examples: [{ key: 'pull_request.number', mode: 'latest', cancelRunning: true }],
        properties: CONCURRENCY_KEYS,
        additionalProperties: false,
        minProperties: 1,
      },
    },
    editable: 'create and change',
    planned: true,
    tagged: true,
    audited: true,
  },
  debounce: {
    type: textOrNull,
    description:
      'How long no delivery with the same key of `concurrency` may arrive before a run starts, with the latest payload; `null` to start without waiting.',
    declared: {
      default: null,
      schema: delay(
        'Debounce',
        'Starts one run when no delivery with the same key has arrived for this long. It gets the latest payload and the list of the other deliveries.',
        '30s',
      ),
    },
    editable: 'create and change',
    planned: true,
    tagged: true,
    audited: true,
  },
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
  budget: {
    type: policyOrNull<BudgetPolicy>(),
    description: 'The number of attempts that may start in a period; `null` for no limit.',
    declared: {
      default: null,
      schema: {
        title: 'Budget',
        description: 'Limits the attempts that start in a period.',
        examples: [{ runs: 20, per: '1h' }],
        properties: BUDGET_KEYS,
        required: ['runs', 'per'],
        additionalProperties: false,
      },
    },
    editable: 'create and change',
    planned: true,
    tagged: true,
    audited: true,
  },
  runsOn: {
    type: json<string[] | null>({ type: ['array', 'null'], items: { type: 'string' } }),
    description: 'The labels that a worker needs to get its runs; `null` if it needs none.',
    declared: {
      default: null,
      schema: {
        title: 'Runs on',
        description:
          'Labels of workers. Runs of the automation start only on a worker that has all of them, so the factory needs the executor queue.',
        examples: [['gpu']],
        items: { title: 'Label', description: 'A label of a worker.', examples: ['gpu'], ...WORKER_LABEL },
        minItems: 1,
        maxItems: MAX_WORKER_LABELS,
        uniqueItems: true,
      },
    },
    editable: 'create and change',
    planned: true,
    tagged: true,
    audited: true,
  },
  workspace: {
    type: policyOrNull<WorkspacePolicy>(),
    description: 'The repository that each run gets a checkout of; `null` for none.',
    declared: {
      default: null,
      schema: {
        title: 'Workspace',
        description: 'Gives each run a clean checkout of a repository, without history.',
        examples: [{ ref: '{{ pull_request.head.sha }}' }],
        properties: WORKSPACE_KEYS,
        additionalProperties: false,
      },
    },
    editable: 'create and change',
    planned: true,
    tagged: true,
    audited: true,
  },
} satisfies { readonly [key in RunPolicyKey]: Field });
