import type { Role } from '../../api/types.ts';

/** Roles with what they may; each holds the earlier. */
export const ROLE_CHOICES: { value: Role; label: string }[] = [
  { value: 'viewer', label: 'viewer: reads all but secrets and tokens' },
  { value: 'operator', label: 'operator: also reconciles, replays, cancels and sends test deliveries' },
  { value: 'manager', label: 'manager: also changes webhooks and automations' },
  { value: 'owner', label: 'owner: also manages secrets, tokens and users' },
];
