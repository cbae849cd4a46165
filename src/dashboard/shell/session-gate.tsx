import { Center, Container, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { sessionQuery } from '../api/session.ts';
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx';
import { ErrorPanel } from '../parts/error-panel.tsx';
import { LiveEventsProvider } from '../parts/use-live-events.ts';
import { DashboardShell } from './app-shell.tsx';
import { SessionContext } from './session-user.ts';

/** Shows the dashboard to who is signed in and the sign-in page to everybody else. */
export function SessionGate() {
  const { data: user, error, refetch } = useQuery(sessionQuery);
  const [location] = useLocation();
  if (location === '/login') return <SignInPage />;
  if (error !== null) {
    return (
      <Container size="xs" pt="xl" component="main">
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      </Container>
    );
  }
  if (user === undefined) return <Waiting />;
  if (user === null) return <SignInPage />;
  return (
    <SessionContext value={user}>
      <LiveEventsProvider>
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
