import type { Run } from '../../domain/resources/run.ts';
import { listReceiptSteps } from './receipt-steps.ts';
import { describeRunState, listRunSteps, type RunHistory, readRuns } from './run-steps.ts';
import { createStep, type NextCommand, orderSteps, type Story } from './story.ts';
import { refAutomation, refDelivery, refRun, type StoryRequest } from './story-parts.ts';

/** The story of a run: its delivery, its attempts, who touched it, and why it waits or failed. */
export async function composeRunStory(request: StoryRequest, run: Run): Promise<Story> {
  const [[history], delivery] = await Promise.all([readRuns(request, [run]), request.deliveries.get(run.delivery)]);
  const received = delivery === null ? [] : await listReceiptSteps(request, delivery);
  const created = createStep({
    at: run.createdAt,
    text: `The delivery started ${run.automation}.`,
    commit:
      run.revision === null
        ? null
        : { revision: run.revision, commit: await request.history.commit(run.factory, run.revision) },
    links: [
      refAutomation(run.factory, run.automation),
      ...(delivery === null
        ? [{ kind: 'delivery' as const, factory: run.factory, id: run.delivery, name: run.deliveryIdentity }]
        : [refDelivery(delivery)]),
    ],
    command: `dockbell run show ${run.id} --payload`,
  });
  return {
    subject: refRun(run.factory, run.id),
    answer: describeRunState(history!),
    steps: orderSteps([...received, created, ...listRunSteps(request, history!)]),
    next: listNext(history!),
  };
}

function listNext({ run }: RunHistory): NextCommand[] {
  const { id, state, startedAt } = run;
  const log = { purpose: 'Read its output', command: `dockbell run log ${id}` };
  const payload = { purpose: 'Print the payload that it got', command: `dockbell run show ${id} --payload` };
  const cancel = { purpose: 'Cancel it', command: `dockbell run cancel ${id}` };
  if (state === 'queued') return [cancel, payload];
  if (state === 'running')
    return [{ purpose: 'Follow its output', command: `${log.command} --follow` }, cancel, payload];
  const retry = { purpose: 'Retry it', command: `dockbell run retry ${id}` };
  const logs = startedAt === null ? [] : [log];
  return state === 'succeeded' ? [...logs, payload] : [...logs, retry, payload];
}
