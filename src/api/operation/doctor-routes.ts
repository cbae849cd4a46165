import type { FastifyInstance } from 'fastify';
import type { Doctor, DoctorReport } from '../../domain/ports/operations.ts';
import { refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';

/** `GET /doctor`. Requests that arrive together share one examination. */
export function doctorPlugin(app: FastifyInstance, doctor: Doctor): void {
  let current: Promise<DoctorReport> | null = null;
  app.get(
    '/doctor',
    {
      config: { access: requireRole('owner', 'team') },
      schema: {
        tags: ['Operation'],
        summary: 'Examine the installation',
        description:
          'Checks files, disks, the clock, git, the repositories of all factories, the listeners and the public URL. The daemon asks each repository for its branch, and sends one request to its public URL, so the answer takes up to 20 seconds.',
        response: { 200: refTo('DoctorReport') },
      },
    },
    async () => {
      current ??= doctor.examine().finally(() => {
        current = null;
      });
      return current;
    },
  );
}
