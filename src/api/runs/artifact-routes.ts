import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import type { ReplicaGroup } from '../../domain/ports/replicas.ts';
import type { RunArtifacts } from '../../domain/ports/run-files.ts';
import type { RunReader } from '../../domain/ports/run-queue.ts';
import type { WorkerControl } from '../../domain/ports/workers.ts';
import type { Run } from '../../domain/resources/run.ts';
import {
  MAX_ARTIFACT_BYTES,
  MAX_ARTIFACTS,
  MAX_ARTIFACTS_BYTES,
  type RunOutput,
} from '../../domain/runs/run-output.ts';
import { closedObject, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { querySchema } from '../server/page-query.ts';
import { findReachedRun, findReadableRun } from './find-reached-run.ts';
import { forwardToHolder } from './forward-to-holder.ts';
import { fence, presentTerm, requireHeld } from './present-hold.ts';

interface ArtifactRouteParts {
  runs: RunReader;
  artifacts: RunArtifacts;
  group: Pick<ReplicaGroup, 'list'>;
  workers: Pick<WorkerControl, 'heartbeat'>;
}

const tags = ['Runs'];
const access = requireRole('viewer', 'object');
/** 512 KiB in base64. */
const MAX_PART_CHARACTERS = 700_000;

const attemptQuery = querySchema({
  attempt: {
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Number of an attempt. Default: the last one.',
  },
});
const numberInPath = closedObject({
  id: { type: 'string' },
  number: { type: 'integer', minimum: 1, maximum: MAX_ARTIFACTS, description: 'Position in `result.json`.' },
});

/** Files that runs name in `result.json`: list, download, and the upload by workers. */
export function registerArtifactRoutes(app: FastifyInstance, parts: ArtifactRouteParts): void {
  registerArtifactList(app, parts);
  registerArtifactDownload(app, parts);
  registerArtifactUpload(app, parts);
}

type ArtifactRequest = FastifyRequest<{ Params: { id: string; number: number }; Querystring: { attempt?: number } }>;

function registerArtifactList(app: FastifyInstance, parts: ArtifactRouteParts): void {
  app.get<{ Params: { id: string }; Querystring: { attempt?: number } }>(
    '/runs/:id/artifacts',
    {
      config: { access, readsFiles: true },
      schema: {
        tags,
        summary: 'List the artifacts of a run',
        description: 'The files that the last attempt names in `result.json`, or those of `attempt`.',
        querystring: attemptQuery,
        response: {
          200: closedObject(
            { data: { type: 'array', items: refTo('RunArtifact') } },
            { description: 'The artifacts, in the order of `result.json`.' },
          ),
          404: refTo('Problem'),
        },
      },
    },
    async (request, reply) => {
      const { run, attempt, named } = await findArtifacts(await findReadableRun(request, parts.runs), request, parts);
      const sizes = await parts.artifacts.sizes({ run: run.id, attempt });
      const isElsewhere = named.length > 0 && sizes.size === 0;
      const owner = { run: run.id, attempt };
      if (isElsewhere && (await forwardToHolder(request, reply, owner, parts.group))) return reply;
      return { data: named.map((artifact, index) => presentArtifact(artifact, index + 1, sizes)) };
    },
  );
}

function presentArtifact(
  { name, path }: RunOutput['artifacts'][number],
  number: number,
  sizes: ReadonlyMap<number, number>,
) {
  return { number, name, path, size: sizes.get(number) ?? null };
}

function registerArtifactDownload(app: FastifyInstance, parts: ArtifactRouteParts): void {
  app.get<{ Params: { id: string; number: number }; Querystring: { attempt?: number } }>(
    '/runs/:id/artifacts/:number',
    {
      config: { access, readsFiles: true, discloses: true },
      schema: {
        tags,
        summary: 'Download an artifact of a run',
        description:
          'The bytes of the file, always as an attachment of the type `application/octet-stream`: a run chose them, so a browser must not show them.',
        params: numberInPath,
        querystring: attemptQuery,
        response: {
          200: {
            description: 'The bytes of the file.',
            content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
          },
          404: refTo('Problem'),
        },
      },
    },
    async (request, reply) => sendArtifact(request, reply, parts),
  );
}

async function sendArtifact(
  request: ArtifactRequest,
  reply: FastifyReply,
  parts: ArtifactRouteParts,
): Promise<FastifyReply> {
  const { number } = request.params;
  const { run, attempt, named } = await findArtifacts(await findReadableRun(request, parts.runs), request, parts);
  const artifact = named[number - 1];
  const stored = artifact === undefined ? null : await parts.artifacts.open({ run: run.id, attempt }, number);
  if (artifact === undefined || stored === null) {
    const owner = { run: run.id, attempt };
    if (artifact !== undefined && (await forwardToHolder(request, reply, owner, parts.group))) return reply;
    throw new AppError('not_found', `Artifact ${number} of attempt ${attempt} is not stored.`);
  }
  return reply
    .header('content-disposition', `attachment; filename="${nameFile(artifact.path)}"`)
    .header('content-type', 'application/octet-stream')
    .header('content-length', stored.size)
    .send(stored.content);
}

/** The last part of the path in characters that need no quoting, and that no file system and no shell interprets. */
function nameFile(path: string): string {
  const name = path
    .split('/')
    .at(-1)!
    .replace(/[^A-Za-z0-9._-]+/g, '_');
  return name.replace(/^[.-]+/, '').slice(-100) || 'artifact';
}

/** The artifacts that an attempt names, by default the last one. */
async function findArtifacts(
  run: Run,
  { query }: Pick<ArtifactRequest, 'query'>,
  { runs }: ArtifactRouteParts,
): Promise<{ run: Run; attempt: number; named: RunOutput['artifacts'] }> {
  const { attempt = run.attempt } = query;
  const attempts = (await runs.attempts([run.id])).get(run.id) ?? [];
  const found = attempts.find(({ number }) => number === attempt);
  if (found === undefined && query.attempt !== undefined) {
    throw new AppError('not_found', `The run has no attempt ${attempt}.`);
  }
  return { run, attempt, named: found?.output?.artifacts ?? [] };
}

interface Upload {
  fence: number;
  size: number;
  offset: number;
  content_base64: string;
}

function registerArtifactUpload(app: FastifyInstance, parts: ArtifactRouteParts): void {
  app.post<{ Params: { id: string; number: number }; Body: Upload }>(
    '/runs/:id/artifacts/:number',
    {
      // The end of the run names its artifacts.
      config: { access: requireRole('worker', 'object'), changes: false },
      schema: {
        tags: ['Workers'],
        summary: 'Store a part of an artifact',
        description: `A worker sends the parts in order, before it completes the run with \`artifacts\` in \`result\`. An artifact has at most ${MAX_ARTIFACT_BYTES / 1_048_576} MiB, all artifacts of an attempt ${MAX_ARTIFACTS_BYTES / 1_048_576} MiB. Each part renews the lease. A worker that got no response repeats the part. 409 means that the run is lost.`,
        params: numberInPath,
        body: closedObject({
          fence,
          size: {
            type: 'integer',
            minimum: 0,
            maximum: MAX_ARTIFACT_BYTES,
            description: 'Size of the whole file, in bytes.',
          },
          offset: { type: 'integer', minimum: 0, maximum: MAX_ARTIFACT_BYTES, description: 'Position of the part.' },
          content_base64: { type: 'string', maxLength: MAX_PART_CHARACTERS, pattern: '^[A-Za-z0-9+/]*={0,2}$' },
        }),
        response: { 200: refTo('Lease'), 404: refTo('Problem'), 409: refTo('Problem') },
      },
    },
    async (request) => {
      const { id } = await findReachedRun(request, parts.runs);
      const { fence: held, size, offset, content_base64: content } = request.body;
      const term = requireHeld(await parts.workers.heartbeat({ id, fence: held }, { log: '', progress: null }));
      const bytes = Buffer.from(content, 'base64');
      if (offset + bytes.byteLength > size) throw new AppError('bad_request', 'The part is longer than the artifact.');
      await parts.artifacts.store({ run: id, attempt: held }, { number: request.params.number, size, offset, bytes });
      return presentTerm(term);
    },
  );
}
