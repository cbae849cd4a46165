import { serveTasks } from '../threads/serve-tasks.ts';
import { type Inspection, type InspectionHost, inspect } from './inspection.ts';

/** The thread for questions of readers: parsing and comparing costs it, not the ingress. */
serveTasks<Inspection, unknown, InspectionHost>((task, onStep, host) => inspect(task, host, onStep));
