import { createRequestHeaders } from '../ingress/transport/request-headers.ts';
import { diagnoseRequest } from '../signature/diagnose/diagnose-request.ts';
import { unpackScheme } from '../signature/schemes/resolve-scheme.ts';
import { serveTasks } from '../threads/serve-tasks.ts';
import type { DiagnosisTask } from './diagnosis-thread.ts';

/** The thread that undoes one mistake after the other until a request verifies. It ends with its last task. */
serveTasks(({ rawHeaders, scheme, ...task }: DiagnosisTask) =>
  diagnoseRequest({ ...task, scheme: unpackScheme(scheme), headers: createRequestHeaders(rawHeaders) }),
);
