import type { IngressAnswer } from './answers.ts';
import * as answers from './answers.ts';

/** Minimum time between two checks of the storage, regardless of the number of requests. */
const READY_FOR_MS = 1_000;

interface ProbeParts {
  isReady(): Promise<boolean>;
  monotonicMs(): number;
}

/** Answers `GET` and `HEAD` of `/healthz` and `/readyz`; `null` for every other request. */
export type AnswerProbe = (method: string, path: string) => Promise<IngressAnswer> | IngressAnswer | null;

/** Probes for load balancers that can reach only the ingress listener. Only the admin listener shows the reasons. */
export function createProbes({ isReady, monotonicMs }: ProbeParts): AnswerProbe {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<IngressAnswer>;
  const answerReadiness = () => {
    if (monotonicMs() - askedAt >= READY_FOR_MS) {
      askedAt = monotonicMs();
      answer = isReady().then((ready) => (ready ? answers.READY : answers.NOT_READY));
    }
    return answer;
  };
  return (method, path) => {
    if (method !== 'GET' && method !== 'HEAD') return null;
    if (path === '/healthz') return answers.HEALTHY;
    return path === '/readyz' ? answerReadiness() : null;
  };
}
