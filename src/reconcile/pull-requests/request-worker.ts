import { workerData } from 'node:worker_threads';
import type { PlanPreview } from '../../domain/applies/plan-preview.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { builtFile } from '../../platform/files/package-files.ts';
import { serveTasks } from '../../platform/threads/serve-tasks.ts';
import type { TaskThreadData } from '../../platform/threads/task-thread.ts';
import { lowerThreadPriority } from '../../platform/threads/thread-priority.ts';
import { connectStorage } from '../../storage/thread/start-storage.ts';
import { type InspectionHost, inspect } from '../inspection/inspection.ts';
import { startGitHost } from '../source/git-host.ts';
import type { RepositoryLocation } from '../source/repository-url.ts';
import { RequestHeads } from '../source/request-heads.ts';
import { DEFAULT_LIMITS } from '../source/source-limits.ts';
import { type CheckOrder, checkRequest, type RequestCheck } from './check-request.ts';

/** One check, and where its repository is. */
export interface RequestTask {
  order: CheckOrder;
  source: { location: RepositoryLocation; branch: string; mirrorDir: string; environment: Environment };
  webhooksPerFactory: number;
}

/** What the thread asks the thread that serves. */
export interface RequestHost extends InspectionHost {
  /** The request changes the factory; its check takes some seconds more. */
  noteTouched(factory: string): Promise<void>;
}

/** The thread that checks pull requests: git, validation, plan and backtest of what third parties wrote. Exists only while it works. */
lowerThreadPriority();
const { channel } = workerData as TaskThreadData;
const storage = connectStorage(channel);
const git = startGitHost(builtFile('reconcile/source/git-host-process.js'));
serveTasks<RequestTask, RequestCheck, RequestHost>(({ order, source, webhooksPerFactory }, onStep, host) => {
  const heads = new RequestHeads({ ...source, runGit: git.run, limits: DEFAULT_LIMITS });
  return checkRequest(
    {
      read: (head, prefix, open) => heads.read(head, prefix, open),
      preview: (preview) => {
        const question = { kind: 'plan', order: preview, hosted: null, webhooksPerFactory } as const;
        return inspect(question, { storage, host, onStep }) as Promise<PlanPreview>;
      },
      onTouched: () => void host.noteTouched(order.factory),
    },
    order,
  );
});
