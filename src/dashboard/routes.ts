// The room of the web app, a client of the management API like any other. In: answers and live events of the API. Out: pages.
// This table lists the pages; each is a file in `pages/` with a folder for its resource. `app.tsx` surrounds them with the
// shell.
// Next: `api/` for the queries, `parts/` for what pages share, `paths.ts` for links.

import {
  Activity,
  BellRing,
  GitCommitHorizontal,
  Inbox,
  KeyRound,
  type LucideIcon,
  Play,
  Settings,
  Webhook,
  Zap,
} from 'lucide-react';
import type { ComponentType } from 'react';
import { createLazyPage, type LazyPage } from './lazy-page.tsx';
import { OpenAlertCount } from './pages/alerts/open-alert-count.tsx';

/** One page. To add a page, add a row here and a file in `pages/`. */
export interface PageRoute {
  /** `:factory` is a placeholder for the name of a factory. The first matching row wins. */
  path: string;
  /** Navigation entry, in the order of the rows. `Count` is shown next to its label; `null` for pages that are reached from other pages. */
  navigation: { label: string; icon: LucideIcon; Count?: ComponentType } | null;
  page: LazyPage;
}

/** @param importPage imports the module, which becomes a separate chunk, and returns the page component */
function page(path: string, navigation: PageRoute['navigation'], importPage: () => Promise<ComponentType>): PageRoute {
  return { path, navigation, page: createLazyPage(path, importPage) };
}

export const ROUTES: readonly PageRoute[] = [
  page(
    '/factories/:factory',
    { label: 'Overview', icon: Activity },
    async () => (await import('./pages/overview/overview-page.tsx')).OverviewPage,
  ),
  page(
    '/factories/:factory/webhooks/new',
    null,
    async () => (await import('./pages/webhooks/add-webhook-page.tsx')).AddWebhookPage,
  ),
  page(
    '/factories/:factory/webhooks/:uid',
    null,
    async () => (await import('./pages/webhooks/webhook-page.tsx')).WebhookPage,
  ),
  page(
    '/factories/:factory/webhooks',
    { label: 'Webhooks', icon: Webhook },
    async () => (await import('./pages/webhooks/webhooks-page.tsx')).WebhooksPage,
  ),
  page(
    '/factories/:factory/deliveries',
    { label: 'Deliveries', icon: Inbox },
    async () => (await import('./pages/deliveries/deliveries-page.tsx')).DeliveriesPage,
  ),
  page(
    '/factories/:factory/deliveries/:id',
    null,
    async () => (await import('./pages/deliveries/delivery-page.tsx')).DeliveryPage,
  ),
  page('/factories/:factory/replays', null, async () => (await import('./pages/replays/replays-page.tsx')).ReplaysPage),
  page(
    '/factories/:factory/replays/:id',
    null,
    async () => (await import('./pages/replays/replay-page.tsx')).ReplayPage,
  ),
  page(
    '/factories/:factory/automations',
    { label: 'Automations', icon: Zap },
    async () => (await import('./pages/automations/automations-page.tsx')).AutomationsPage,
  ),
  page(
    '/factories/:factory/automations/~new',
    null,
    async () => (await import('./pages/automations/editor/new-automation-page.tsx')).NewAutomationPage,
  ),
  page(
    '/factories/:factory/automations/:name',
    null,
    async () => (await import('./pages/automations/page/automation-page.tsx')).AutomationPage,
  ),
  page(
    '/factories/:factory/automations/:name/edit',
    null,
    async () => (await import('./pages/automations/editor/automation-edit-page.tsx')).AutomationEditPage,
  ),
  page(
    '/factories/:factory/runs',
    { label: 'Runs', icon: Play },
    async () => (await import('./pages/runs/runs-page.tsx')).RunsPage,
  ),
  page('/factories/:factory/runs/:id', null, async () => (await import('./pages/runs/run-page.tsx')).RunPage),
  page(
    '/factories/:factory/reconciliations',
    { label: 'Reconciliations', icon: GitCommitHorizontal },
    async () => (await import('./pages/reconciliations/reconciliations-page.tsx')).ReconciliationsPage,
  ),
  page(
    '/factories/:factory/reconciliations/:id',
    null,
    async () => (await import('./pages/reconciliations/reconciliation-page.tsx')).ReconciliationPage,
  ),
  page(
    '/factories/:factory/commits/:id',
    null,
    async () => (await import('./pages/commits/commit-page.tsx')).CommitPage,
  ),
  page(
    '/alerts',
    { label: 'Alerts', icon: BellRing, Count: OpenAlertCount },
    async () => (await import('./pages/alerts/alerts-page.tsx')).AlertsPage,
  ),
  page('/secrets/:id', null, async () => (await import('./pages/secrets/secret-page.tsx')).SecretPage),
  page(
    '/secrets',
    { label: 'Secrets', icon: KeyRound },
    async () => (await import('./pages/secrets/secrets-page.tsx')).SecretsPage,
  ),
  page(
    '/settings',
    { label: 'Settings', icon: Settings },
    async () => (await import('./pages/settings/tokens/tokens-page.tsx')).TokensPage,
  ),
  page('/settings/users', null, async () => (await import('./pages/settings/users/users-page.tsx')).UsersPage),
  page('/settings/audit', null, async () => (await import('./pages/settings/audit/audit-page.tsx')).AuditPage),
  page('/settings/about', null, async () => (await import('./pages/settings/about/about-page.tsx')).AboutPage),
  page('/account', null, async () => (await import('./pages/account/account-page.tsx')).AccountPage),
];

/** The path of a page for this factory. */
export function buildPath(path: string, factory: string): string {
  return path.replace(':factory', encodeURIComponent(factory));
}

/** Loads the page of a path. `/` leads to the overview of a factory. */
export async function preloadPage(location: string): Promise<void> {
  const route = findRoute(location === '/' ? '/factories/:factory' : location);
  if (route !== undefined) await loadAhead(route);
}

/** The route of a path; `undefined` if none matches. */
export function findRoute(location: string): PageRoute | undefined {
  return ROUTES.find(({ path }) => isAt(path, location));
}

/** Loads a page in advance. Errors are ignored here and shown when the page is opened. */
export async function loadAhead({ page }: PageRoute): Promise<void> {
  await page.load().catch(() => undefined);
}

function isAt(path: string, location: string): boolean {
  const [steps, given] = [path.split('/'), location.split('/')];
  return steps.length === given.length && steps.every((step, i) => step.startsWith(':') || step === given[i]);
}
