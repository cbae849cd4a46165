import { workerData } from 'node:worker_threads';
import { type Inspection, type InspectionHost, inspect } from '../inspection/inspection.ts';
import { connectStorage } from '../storage/thread/start-storage.ts';
import { serveTasks } from '../threads/serve-tasks.ts';
import type { TaskThreadData } from '../threads/task-thread.ts';

/** The thread for questions of readers: parsing and comparing costs it, not the ingress. */
const { channel } = workerData as TaskThreadData;
const storage = connectStorage(channel);
serveTasks<Inspection, unknown, InspectionHost>((task, onStep, host) => inspect(task, { storage, host, onStep }));
