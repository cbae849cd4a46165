import type { AuditEntry } from '../../api/types.ts';
import type { NamesById } from './audit-names.ts';

/** What each route that changes something does, by method and route as the audit log names them. */
const DEEDS: Readonly<Record<string, string>> = {
  'POST /api/v1/session': 'Sign in',
  'DELETE /api/v1/session': 'Sign out',
  'DELETE /api/v1/sessions': 'Sign out everywhere else',
  'DELETE /api/v1/sessions/:id': 'End own session',
  'POST /api/v1/session/password': 'Change own password',
  'POST /api/v1/login-links': 'Make login link',
  'POST /api/v1/users': 'Add user',
  'PATCH /api/v1/users/:id': 'Change user',
  'DELETE /api/v1/users/:id': 'Delete user',
  'DELETE /api/v1/users/:id/sessions': 'Sign user out everywhere',
  'POST /api/v1/tokens': 'Create API token',
  'DELETE /api/v1/tokens/:id': 'Revoke API token',
  'PUT /api/v1/secrets/:name': 'Store secret',
  'DELETE /api/v1/secrets/:name': 'Delete secret',
  'POST /api/v1/secrets/:name/diagnoses': 'Diagnose request with secret',
  'POST /api/v1/factories/:factory/reconciliations': 'Reconcile',
  'POST /api/v1/factories/:factory/reverts': 'Revert factory',
  'POST /api/v1/factories/:factory/webhooks': 'Add webhook',
  'PATCH /api/v1/factories/:factory/webhooks/:uid': 'Change webhook',
  'DELETE /api/v1/factories/:factory/webhooks/:uid': 'Delete webhook',
  'POST /api/v1/factories/:factory/webhooks/:uid/rotate': 'Rotate secret of webhook',
  'POST /api/v1/factories/:factory/webhooks/:uid/secret': 'Finish webhook setup',
  'POST /api/v1/factories/:factory/webhooks/:uid/test-deliveries': 'Send test delivery',
  'POST /api/v1/factories/:factory/webhooks/:uid/capture': 'Open capture window',
  'DELETE /api/v1/factories/:factory/webhooks/:uid/capture': 'Close capture window',
  'POST /api/v1/factories/:factory/automations': 'Create automation',
  'PUT /api/v1/factories/:factory/automations/:name': 'Save automation',
  'DELETE /api/v1/factories/:factory/automations/:name': 'Delete automation',
  'POST /api/v1/deliveries/:id/replay': 'Replay delivery',
  'POST /api/v1/runs/:id/cancel': 'Cancel run',
  'POST /api/v1/runs/:id/retry': 'Retry run',
  'POST /api/v1/runs/:id/complete': 'End run',
};

/** What was asked for, in words; the method and the route where this version has none for them. */
export function describeDeed({ method, route, changes }: Pick<AuditEntry, 'method' | 'route' | 'changes'>): string {
  // Whichever way it was done.
  if (changes?.sign_in !== undefined) return DEEDS['POST /api/v1/session']!;
  return DEEDS[`${method} ${route}`] ?? `${method} ${route}`;
}

type Entry = Pick<AuditEntry, 'route' | 'object' | 'changes'>;

/**
 * What it was done to: the parameters of the route and what it made, by name where there is one. `null` where the deed
 * says it all.
 */
export function describeSubject({ route, object, changes }: Entry, names: NamesById): string | null {
  if (object === 'session') return typeof changes?.user === 'string' ? changes.user : null;
  const open = route.split('/').slice(3);
  const things = object.split('/').filter((_, index) => open[index] === undefined || open[index]!.startsWith(':'));
  const shown = things.map((thing) => decodeURIComponent(thing)).map((thing) => names.get(thing) ?? thing);
  // Who or what is gone has its name where it was made.
  const isMade = things.length > open.filter((segment) => segment.startsWith(':')).length;
  if (isMade && typeof changes?.name === 'string') shown[shown.length - 1] = changes.name;
  return shown.length === 0 ? null : shown.join(' / ');
}

/** The routes that have words. */
export const DESCRIBED_ROUTES: readonly string[] = Object.keys(DEEDS);
