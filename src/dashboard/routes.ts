import { Activity, type LucideIcon, Webhook } from 'lucide-react';
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** One page. A page is added by a row here and a file in `pages/`. */
export interface PageRoute {
  /** `:factory` stands for the factory whose page it is. Earlier rows win. */
  path: string;
  /** Shown in the navigation, in the order of the rows; `null` for pages that are reached from others. */
  navigation: { label: string; icon: LucideIcon } | null;
  Page: LazyExoticComponent<ComponentType>;
}

/** @param load imports the page's file, which is then a chunk of its own, and picks the page out of it */
function page(path: string, navigation: PageRoute['navigation'], load: () => Promise<ComponentType>): PageRoute {
  return { path, navigation, Page: lazy(async () => ({ default: await load() })) };
}

export const ROUTES: readonly PageRoute[] = [
  page(
    '/factories/:factory',
    { label: 'Overview', icon: Activity },
    async () => (await import('./pages/overview/overview-page.tsx')).OverviewPage,
  ),
  page(
    '/factories/:factory/webhooks',
    { label: 'Webhooks', icon: Webhook },
    async () => (await import('./pages/webhooks/webhooks-page.tsx')).WebhooksPage,
  ),
];

/** Where a page stands for this factory. */
export function buildPath(path: string, factory: string): string {
  return path.replace(':factory', encodeURIComponent(factory));
}
