import { type ComponentType, lazy, useState } from 'react';

/** A page whose file is loaded when it is needed, or before. */
export interface LazyPage {
  /** `null` until the file is there. */
  loaded: ComponentType | null;
  /** Loads the file while it is shown. */
  Loading: ComponentType;
  load: () => Promise<ComponentType>;
}

/** @param importPage imports the page's file and picks the page out of it */
export function createLazyPage(importPage: () => Promise<ComponentType>): LazyPage {
  const load = async () => {
    page.loaded ??= await importPage();
    return page.loaded;
  };
  const page: LazyPage = { loaded: null, Loading: lazy(async () => ({ default: await load() })), load };
  return page;
}

/** `lazy` alone shows a placeholder also for a file that is there already, and React keeps one for 300 ms. */
export function ShownPage({ page }: { page: LazyPage }) {
  // One of the two for as long as the page is shown: to change over would begin it anew.
  const [Shown] = useState(() => page.loaded ?? page.Loading);
  return <Shown />;
}
