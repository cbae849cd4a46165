import type { ExecutorKind } from './executor-kind.ts';

/** The programs that run containers. Their command lines agree on everything that is used here. */
const ENGINES = ['docker', 'podman'] as const;
export type Engine = (typeof ENGINES)[number];

/** What the configuration of a factory says about its containers. */
export interface ContainerSettings {
  readonly engine: Engine;
  readonly image: string;
  /** Images that an automation may choose with `environmentId`. */
  readonly images: readonly string[];
  /** Arguments after the image: the command of the container. */
  readonly args: readonly string[];
  readonly network: string;
  readonly memory: string;
  readonly cpus: string;
  readonly pids: number;
  readonly pull: 'missing' | 'never' | 'always';
  /** More options of `run`. */
  readonly engineOptions: readonly string[];
}

/** Executor `container`: one container for each attempt, through the command line of an engine. */
export const CONTAINER_KIND = {
  summary: '`container`: the daemon starts a container with Docker or Podman on its machine.',
  place: 'machine',
  options: {
    'factories[].runs.executor.engine': {
      title: 'Container engine',
      type: { kind: 'choice', values: ENGINES, later: [] },
      onlyWith: 'container',
      default: 'docker',
      description: 'The program that runs containers. It is looked up in PATH.',
      examples: ['podman'],
      env: null,
      secret: false,
    },
    'factories[].runs.executor.image': {
      title: 'Image',
      type: { kind: 'text', format: 'containerImage' },
      onlyWith: 'container',
      default: null,
      required: true,
      description: 'Image of the containers. Name it with a digest, so that its content cannot change.',
      examples: ['ghcr.io/acme/agent:1.4'],
      env: null,
      secret: false,
    },
    'factories[].runs.executor.images': {
      title: 'Other images',
      type: { kind: 'list', format: 'containerImage' },
      onlyWith: 'container',
      default: [],
      description:
        'Images that an automation may use instead: it names one of them as its `environmentId`. Without any, `environmentId` has no effect.',
      examples: [['ghcr.io/acme/agent-gpu:1.4']],
      env: null,
      secret: false,
    },
    'factories[].runs.executor.args': {
      title: 'Arguments',
      type: { kind: 'list', format: 'argument' },
      onlyWith: 'container',
      default: [],
      description: 'The command in the container, after the image. Default: the command of the image.',
      examples: [['/usr/local/bin/agent', '--quiet']],
      env: null,
      secret: false,
    },
    'factories[].runs.executor.network': {
      title: 'Network',
      type: { kind: 'text', format: 'containerNetwork' },
      onlyWith: 'container',
      default: 'none',
      description:
        'Network of the containers. `none`: a run can connect to nothing. Otherwise the name of a network of the engine.',
      examples: ['none', 'bridge', 'agents'],
      env: null,
      secret: false,
    },
    'factories[].runs.executor.memory': {
      title: 'Memory',
      type: { kind: 'text', format: 'memorySize' },
      onlyWith: 'container',
      default: '2g',
      description: 'Maximum memory of a container, without swap.',
      examples: ['512m', '8g'],
      env: null,
      secret: false,
    },
    'factories[].runs.executor.cpus': {
      title: 'Processors',
      type: { kind: 'text', format: 'decimal' },
      onlyWith: 'container',
      default: '2',
      description: 'Number of processors that a container may use.',
      examples: ['0.5', '4'],
      env: null,
      secret: false,
    },
    'factories[].runs.executor.pids': {
      title: 'Processes',
      type: { kind: 'integer', min: 1, max: 1_000_000 },
      onlyWith: 'container',
      default: 512,
      description: 'Maximum number of processes and threads in a container.',
      examples: [512],
      env: null,
      secret: false,
    },
    'factories[].runs.executor.pull': {
      title: 'Pull',
      type: { kind: 'choice', values: ['missing', 'never', 'always'], later: [] },
      onlyWith: 'container',
      default: 'missing',
      description: 'When the engine downloads the image before a run.',
      examples: ['never'],
      env: null,
      secret: false,
    },
    'factories[].runs.executor.engineOptions': {
      title: 'Engine options',
      type: { kind: 'list', format: 'argument' },
      onlyWith: 'container',
      default: [],
      description:
        'More options of `docker run` or `podman run`. They come last, so they can weaken the isolation of the container.',
      examples: [['--gpus=all']],
      env: null,
      secret: false,
    },
  },
} as const satisfies ExecutorKind<ContainerSettings>;
