/** The programs that run containers. Their command lines agree on everything that is used here. */
export const ENGINES = ['docker', 'podman'] as const;
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
