import { parentPort } from 'node:worker_threads';
import { validateTree } from '../definitions/validate-tree.ts';
import type { ValidationReply, ValidationRequest } from './definitions-thread.ts';

/** The thread that reads what strangers commit: slow or huge definitions cost it, not the ingress (threat model G4). */
parentPort!.on('message', ({ id, tree, context }: ValidationRequest) => {
  const reply: ValidationReply = { id, validated: validateTree(tree, context) };
  parentPort!.postMessage(reply);
});
