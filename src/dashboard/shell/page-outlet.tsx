import { Center, Loader } from '@mantine/core';
import { Compass, Factory as FactoryIcon } from 'lucide-react';
import { Suspense } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { type LazyPage, ShownPage } from '../lazy-page.tsx';
import { EmptyState } from '../parts/layout/empty-state.tsx';
import { PageHeader } from '../parts/layout/page-header.tsx';
import { factoryPath } from '../paths.ts';
import { ROUTES } from '../routes.ts';
import { useCurrentFactory } from './context/current-factory.ts';
import { PageFailure } from './page-failure.tsx';

/** Renders the page for the current path. If a page fails, header and navigation stay usable. */
export function PageOutlet() {
  const [location] = useLocation();
  return (
    <PageFailure key={location}>
      <Suspense fallback={<Waiting />}>
        <Switch>
          <Route path="/" component={FirstPage} />
          {ROUTES.map(({ path, page }) => (
            <Route key={path} path={path}>
              {path.includes(':factory') ? <WithinFactory page={page} /> : <ShownPage page={page} />}
            </Route>
          ))}
          <Route component={UnknownPage} />
        </Switch>
      </Suspense>
    </PageFailure>
  );
}

function WithinFactory({ page }: { page: LazyPage }) {
  return useCurrentFactory() === null ? <UnknownPage /> : <ShownPage page={page} />;
}

function FirstPage() {
  const factory = useCurrentFactory();
  if (factory !== null) return <Redirect to={factoryPath(factory.name)} replace />;
  return (
    <>
      <PageHeader title="Overview" />
      <EmptyState icon={FactoryIcon} title="No factories yet">
        A factory is a set of webhooks and automations with one definition. Add one under <code>factories</code> in{' '}
        <code>dockbell.yaml</code> and run <code>dockbell reload</code>.
      </EmptyState>
    </>
  );
}

function UnknownPage() {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState icon={Compass} title="This page does not exist">
        It may have been deleted, or your account has no access to its factory.
      </EmptyState>
    </>
  );
}

function Waiting() {
  return (
    <Center h={240}>
      <Loader role="status" aria-label="Loading the page" />
    </Center>
  );
}
