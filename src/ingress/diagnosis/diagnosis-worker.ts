import { diagnoseRequest } from '../../definitions/signature/diagnose/diagnose-request.ts';
import { unpackScheme } from '../../definitions/signature/schemes/resolve-scheme.ts';
import { serveTasks } from '../../platform/threads/serve-tasks.ts';
import { createRequestHeaders } from '../transport/request-headers.ts';
import type { DiagnosisTask } from './diagnosis-thread.ts';

/** The thread that undoes one mistake after the other until a request verifies. It ends with its last task. */
serveTasks(({ rawHeaders, scheme, ...task }: DiagnosisTask) =>
  diagnoseRequest({ ...task, scheme: unpackScheme(scheme), headers: createRequestHeaders(rawHeaders) }),
);
