import { createRequestHeaders } from '../ingress/transport/request-headers.ts';
import { diagnoseRequest } from '../signature/diagnose/diagnose-request.ts';
import { answerTasks } from '../threads/task-thread.ts';
import type { DiagnosisTask } from './diagnosis-thread.ts';

/** The thread that undoes one mistake after the other until a request verifies. It ends with its last task. */
answerTasks(({ rawHeaders, ...task }: DiagnosisTask) =>
  diagnoseRequest({ ...task, headers: createRequestHeaders(rawHeaders) }),
);
