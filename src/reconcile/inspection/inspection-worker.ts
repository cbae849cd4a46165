import { workerData } from 'node:worker_threads';
import { serveTasks } from '../../platform/threads/serve-tasks.ts';
import type { TaskThreadData } from '../../platform/threads/task-thread.ts';
import { connectStorage } from '../../storage/thread/start-storage.ts';
import { type Inspection, type InspectionHost, inspect } from './inspection.ts';

/** The thread for questions of readers: parsing and comparing costs it, not the ingress. */
const { channel } = workerData as TaskThreadData;
const storage = connectStorage(channel);
serveTasks<Inspection, unknown, InspectionHost>((task, onStep, host) => inspect(task, { storage, host, onStep }));
