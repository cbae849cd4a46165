import { validateTree } from '../definitions/validate-tree.ts';
import { serveTasks } from '../threads/serve-tasks.ts';
import type { ValidationTask } from './definitions-thread.ts';

/** The thread that reads what strangers commit: slow or huge definitions cost it, not the ingress (threat model G4). */
serveTasks(({ tree, context }: ValidationTask, onStep) => validateTree(tree, context, onStep));
