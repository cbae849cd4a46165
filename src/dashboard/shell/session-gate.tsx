import { Center, Container, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { factoriesQuery } from '../api/queries.ts';
import { sessionQuery } from '../api/session.ts';
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx';
import { ErrorPanel } from '../parts/error-panel.tsx';
import { LiveEventsProvider } from '../parts/use-live-events.ts';
import { DashboardShell } from './app-shell.tsx';
import { SessionContext } from './session-user.ts';

/**
 * Shows the dashboard to who is signed in and the sign-in page to everybody else. It waits for the factories as well:
 * React shows a placeholder of its own for 300 ms at least, however soon they come.
 */
export function SessionGate() {
  const session = useQuery(sessionQuery);
  const user = session.data;
  const factories = useQuery({ ...factoriesQuery, enabled: user != null });
  const [location] = useLocation();
  if (location === '/login' || user === null) return <SignInPage />;
  const failed = [session, factories].find(({ isError, data }) => isError && data === undefined);
  if (failed !== undefined) {
    return (
      <Container size="xs" pt="xl" component="main">
        <ErrorPanel error={failed.error!} onRetry={() => void failed.refetch()} />
      </Container>
    );
  }
  if (user === undefined || factories.data === undefined) return <Waiting />;
  return (
    <SessionContext value={user}>
      <LiveEventsProvider after={user.lastEventId}>
        <DashboardShell />
      </LiveEventsProvider>
    </SessionContext>
  );
}

function Waiting() {
  return (
    <Center h="100dvh" component="main">
      <Loader role="status" aria-label="Loading" />
    </Center>
  );
}
