import { readFiles } from '../../definitions/read/read-files.ts';
import { serveTasks } from '../../platform/threads/serve-tasks.ts';
import { lowerThreadPriority } from '../../platform/threads/thread-priority.ts';
import type { ReadTask } from './definitions-thread.ts';

/** The thread that reads untrusted definitions: slow or huge ones block it, not the ingress (threat model G4). */
lowerThreadPriority();
serveTasks(({ files, settings }: ReadTask, onStep) => readFiles(files, settings, onStep));
