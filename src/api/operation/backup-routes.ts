import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { BackupControl, BackupStatus } from '../../domain/ports/operations.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { closedObject, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';

const tags = ['Operation'];
/** A client that reads nothing for this long is disconnected: no other backup can be made meanwhile. */
const IDLE_MS = 10 * 60_000;

/** `GET /backup` and `POST /backup`. */
export function backupPlugin(app: FastifyInstance, backups: BackupControl): void {
  app.get(
    '/backup',
    {
      config: { access: requireRole('viewer', 'team') },
      schema: {
        tags,
        summary: 'Show scheduled backups, and how far the current backup is',
        response: { 200: refTo('BackupStatus') },
      },
    },
    async () => presentStatus(await backups.status()),
  );

  app.post<{ Body: { logs: boolean; include_key: boolean } }>(
    '/backup',
    {
      config: { access: requireRole('owner', 'team') },
      schema: {
        tags,
        summary: 'Make a backup and download it',
        description:
          'A tar archive: the database as of one moment, managed repositories, and what proves that runs were started. The answer begins when the database is copied and checked; `GET /backup` shows how far that is. The last file, `SHA256SUMS`, lists the digests of the others: an archive without it is not complete. Only one backup can be made at a time.',
        body: closedObject(
          {
            logs: { type: 'boolean', default: false, description: 'Include the captured output of runs.' },
            include_key: {
              type: 'boolean',
              default: false,
              description: 'Include the master key. Anyone who has such a backup can read all secrets.',
            },
          },
          { required: [] },
        ),
        response: {
          200: {
            description: 'The archive.',
            content: { 'application/x-tar': { schema: { type: 'string', format: 'binary' } } },
          },
          409: refTo('Problem'),
        },
      },
    },
    async (request, reply) => {
      const { logs, include_key: includeKey } = request.body;
      const backup = await backups.open({ logs, includeKey }, abortWhenClosed(reply));
      const content = Readable.from(backup.content, { objectMode: false });
      content.once('close', () => void backup.discard());
      reply.raw.setTimeout(IDLE_MS, () => reply.raw.destroy());
      return reply
        .header('content-type', 'application/x-tar')
        .header('content-length', backup.bytes)
        .header('content-disposition', `attachment; filename="${backup.name}"`)
        .send(content);
    },
  );
}

/** Aborted when the client disconnects. */
function abortWhenClosed({ raw }: FastifyReply): AbortSignal {
  const abort = new AbortController();
  if (raw.destroyed) abort.abort();
  else raw.once('close', () => abort.abort());
  return abort.signal;
}

function presentStatus({ schedule, running }: BackupStatus): object {
  return {
    schedule: schedule === null ? null : presentSchedule(schedule),
    running:
      running === null
        ? null
        : { phase: running.phase, done_bytes: running.doneBytes, total_bytes: running.totalBytes },
  };
}

function presentSchedule(schedule: NonNullable<BackupStatus['schedule']>): object {
  const { lastSuccess, lastFailure } = schedule;
  return {
    every_seconds: schedule.everyMs / 1000,
    keep: schedule.keep,
    dir: schedule.dir,
    last_success:
      lastSuccess === null
        ? null
        : { at: formatInstant(lastSuccess.at), file: lastSuccess.file, bytes: lastSuccess.bytes },
    last_failure: lastFailure === null ? null : { at: formatInstant(lastFailure.at), problem: lastFailure.problem },
    next_at: formatInstant(schedule.nextAt),
  };
}
