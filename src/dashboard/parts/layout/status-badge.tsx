import { Badge, type MantineColor } from '@mantine/core';
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleMinus,
  CircleX,
  LoaderCircle,
  type LucideIcon,
} from 'lucide-react';
import { NO_LABEL } from '../../../domain/words/deliveries.ts';

interface Look {
  color: MantineColor;
  icon: LucideIcon;
}

const GOOD: Look = { color: 'teal', icon: CircleCheck };
const BAD: Look = { color: 'red', icon: CircleX };
const CARE: Look = { color: 'orange', icon: CircleAlert };
const IDLE: Look = { color: 'gray', icon: CircleMinus };
const WAITING: Look = { color: 'gray', icon: CircleDashed };
const BUSY: Look = { color: 'blue', icon: LoaderCircle };

/** Color and icon of every state, by its API value. Color is never the only indicator. */
const LOOKS: Readonly<Record<string, Look>> = {
  Accepted: GOOD,
  Duplicate: IDLE,
  'Rejected (auth)': BAD,
  'Rejected (invalid JSON)': BAD,
  'Rejected (too large)': BAD,
  [NO_LABEL]: CARE,
  healthy: GOOD,
  degraded: CARE,
  failing: BAD,
  online: GOOD,
  offline: CARE,
  enabled: GOOD,
  disabled: IDLE,
  deleted: IDLE,
  current: GOOD,
  outdated: CARE,
  missing: BAD,
  queued: WAITING,
  pending: WAITING,
  waiting: WAITING,
  success: GOOD,
  failure: BAD,
  untouched: IDLE,
  finished: GOOD,
  running: BUSY,
  succeeded: GOOD,
  failed: BAD,
  cancelled: IDLE,
  applied: GOOD,
  unchanged: IDLE,
  invalid: BAD,
  started: GOOD,
  filtered: IDLE,
  filter_error: BAD,
  ignored_actor: IDLE,
  loop_guard: CARE,
  paused: IDLE,
  answered: GOOD,
  refused: BAD,
  done: GOOD,
  error: BAD,
  warning: CARE,
  acknowledged: BUSY,
  resolved: GOOD,
};

/** @param label shown instead of the state */
export function StatusBadge({ state, label = state }: { state: string; label?: string }) {
  const { color, icon: Icon } = LOOKS[state] ?? WAITING;
  return (
    <Badge
      color={color}
      variant="light"
      radius="sm"
      tt="none"
      fw={600}
      // The state must stay readable in narrow columns.
      miw="max-content"
      // Aligns the badge with the text next to it.
      style={{ verticalAlign: 'middle' }}
      leftSection={<Icon size={13} aria-hidden />}
    >
      {label}
    </Badge>
  );
}
