import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';

/** A factory, or one automation of it. */
export interface PauseTarget {
  factory: string;
  /** `null` for the whole factory. */
  automation: string | null;
}

/** From now on, no run of the target starts. */
export async function pauseRuns({ factory, automation }: PauseTarget, reason: string): Promise<void> {
  const body = reason === '' ? {} : { reason };
  if (automation === null) {
    await readAnswer(api.POST('/api/v1/factories/{factory}/pause', { params: { path: { factory } }, body }));
    return;
  }
  const params = { path: { factory, name: automation } };
  await readAnswer(api.POST('/api/v1/factories/{factory}/automations/{name}/pause', { params, body }));
}

/** Runs of the target start again. */
export async function resumeRuns({ factory, automation }: PauseTarget): Promise<void> {
  if (automation === null) {
    await readAnswer(api.DELETE('/api/v1/factories/{factory}/pause', { params: { path: { factory } } }));
    return;
  }
  const params = { path: { factory, name: automation } };
  await readAnswer(api.DELETE('/api/v1/factories/{factory}/automations/{name}/pause', { params }));
}
