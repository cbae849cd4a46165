import { validateTree } from '../definitions/validate-tree.ts';
import { serveTasks } from '../threads/serve-tasks.ts';
import type { ValidationTask } from './definitions-thread.ts';

/** The thread that reads untrusted definitions: slow or huge ones block it, not the ingress (threat model G4). */
serveTasks(({ tree, context }: ValidationTask, onStep) => validateTree(tree, context, onStep));
