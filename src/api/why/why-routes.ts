import type { FastifyInstance } from 'fastify';
import { composeStory, type StoryAnswer } from '../../operations/story/compose-story.ts';
import { MAX_ENTRIES } from '../../operations/story/cut-list.ts';
import type { StoryParts } from '../../operations/story/story-parts.ts';
import { refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { querySchema } from '../server/page-query.ts';
import { describeProblem, type Problem, sendProblem } from '../server/problem.ts';
import { principalOf } from '../server/reach.ts';
import { presentStory } from './present-story.ts';

const DESCRIPTION = [
  '`ref` is an ID or the first characters of one, the name of a webhook or an automation, a commit or the first characters of one,',
  'the delivery ID of a sender, or `last` for the most recent delivery. For owners, it is also the name of a secret.',
  '`webhook:NAME`, `automation:NAME`, `commit:REVISION` and `secret:NAME` are exact.',
  'If nothing matches, the 404 lists similar names and IDs as `candidates`. If several objects match, the 409 lists the exact forms of at most ten.',
].join(' ');

/** `GET /why/{ref}`: why an object is in its state. */
export function whyPlugin(app: FastifyInstance, parts: StoryParts): void {
  app.get<{ Params: { ref: string }; Querystring: { factory?: string; all?: boolean } }>(
    '/why/:ref',
    {
      config: { access: requireRole('viewer', 'listed') },
      schema: {
        tags: ['Stories'],
        summary: 'Explain why an object is in its state: what happened, in order',
        description: DESCRIPTION,
        querystring: querySchema({
          factory: { type: 'string', minLength: 1, description: 'Only objects of this factory.' },
          all: {
            type: 'boolean',
            default: false,
            description: `List everything that a step with \`expandable\` sums up, at most ${MAX_ENTRIES} entries of each kind.`,
          },
        }),
        response: { 200: refTo('Story'), 404: refTo('Problem'), 409: refTo('Problem') },
      },
    },
    async (request, reply) => {
      const { role, factories } = principalOf(request);
      const { ref } = request.params;
      const { factory = null, all = false } = request.query;
      const answer = await composeStory(parts, { role, factories, factory }, { ref, all });
      return answer.found === 'story' ? presentStory(answer.story) : sendProblem(reply, describeMiss(ref, answer));
    },
  );
}

function describeMiss(ref: string, answer: Exclude<StoryAnswer, { found: 'story' }>): Problem {
  if (answer.found === 'several') {
    const { candidates, areAll } = answer;
    const rest = areAll ? '' : ` These are ${candidates.length} of them: add characters to find the others.`;
    return describeProblem('conflict', `More than one object matches '${ref}'.${rest}`, { candidates });
  }
  return describeProblem('not_found', `Nothing matches '${ref}'.`, { candidates: answer.near });
}
