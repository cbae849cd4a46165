import {
  Activity,
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

/** One page. A page is added by a row here and a file in `pages/`. */
export interface PageRoute {
  /** `:factory` stands for the factory whose page it is. Earlier rows win. */
  path: string;
  /** Shown in the navigation, in the order of the rows; `null` for pages that are reached from others. */
  navigation: { label: string; icon: LucideIcon } | null;
  page: LazyPage;
}

/** @param importPage imports the page's file, which is then a chunk of its own, and picks the page out of it */
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
  page(
    '/factories/:factory/automations',
    { label: 'Automations', icon: Zap },
    async () => (await import('./pages/automations/list/automations-page.tsx')).AutomationsPage,
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

/** Where a page stands for this factory. */
export function buildPath(path: string, factory: string): string {
  return path.replace(':factory', encodeURIComponent(factory));
}

/** Loads the page of an address. `/` leads to the first page of a factory. */
export async function preloadPage(location: string): Promise<void> {
  const route = findRoute(location === '/' ? '/factories/:factory' : location);
  if (route !== undefined) await loadAhead(route);
}

/** The page at this address; `undefined` for none. */
export function findRoute(location: string): PageRoute | undefined {
  return ROUTES.find(({ path }) => isAt(path, location));
}

/** Where the file cannot be had, the page says so as soon as it is shown. */
export async function loadAhead({ page }: PageRoute): Promise<void> {
  await page.load().catch(() => undefined);
}

function isAt(path: string, location: string): boolean {
  const [steps, asked] = [path.split('/'), location.split('/')];
  return steps.length === asked.length && steps.every((step, i) => step.startsWith(':') || step === asked[i]);
}
