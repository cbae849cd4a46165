import type { DrainState } from '../../domain/ports/runs/drain-control.ts';
import type { ConditionState } from '../../reconcile/conditions.ts';

/** While runs do not start, every factory shows it. */
export function describeDrain({ phase, executing }: DrainState): ConditionState | null {
  if (phase === 'running') return null;
  const running = executing === 0 ? 'none is' : executing === 1 ? '1 is still' : `${executing} are still`;
  if (phase === 'stopping') {
    const message = `the daemon stops when its commands have ended: no run starts, and ${running} executed`;
    return { type: 'Draining', status: 'True', reason: 'Stopping', message };
  }
  return {
    type: 'Draining',
    status: 'True',
    reason: 'Maintenance',
    message: `no run starts, and ${running} executed. 'dockbell drain --cancel' starts runs again`,
  };
}
