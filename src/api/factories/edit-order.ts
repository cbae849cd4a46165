import type { FastifyRequest } from 'fastify';
import type { EditOrder } from '../../reconcile/edit/factory-editor.ts';
import { omitRepresentations } from '../server/answer-conditionally.ts';
import { actorOf, factoryOf } from '../server/reach.ts';

/** Who edits which factory: the author in the history is who asks, and `If-Match` what they saw before. */
export function readEditOrder(request: FastifyRequest): EditOrder {
  const actor = actorOf(request);
  const { name, id, kind } = actor;
  const ifMatch = request.headers['if-match'];
  return {
    factory: factoryOf(request).name,
    actor,
    // No mail is sent to it. The address identifies the token, also if another token gets its name later.
    author: { name, email: `${id}@${kind === 'token' ? 'tokens' : 'users'}.dockbell.invalid` },
    ifMatch: ifMatch === undefined ? null : omitRepresentations(ifMatch),
  };
}
