import { Center, Container, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { factoriesQuery } from '../api/queries.ts';
import { type SessionUser, sessionQuery } from '../api/session.ts';
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx';
import { ErrorPanel } from '../parts/layout/error-panel.tsx';
import { LiveEventsProvider } from '../parts/live/use-live-events.ts';
import { useHasUnsaved } from './context/leave-guard.tsx';
import { SessionContext } from './context/session-user.ts';
import { DashboardShell } from './frame/app-shell.tsx';

/**
 * Shows the dashboard to signed-in users and the sign-in page to everyone else. It also waits for the factories, because a
 * React suspense fallback is shown for at least 300 ms. If a session expires while changes are unsaved, the page stays
 * mounted but hidden until the same user signs in again.
 */
export function SessionGate() {
  const session = useQuery(sessionQuery);
  const user = session.data;
  const hasUnsaved = useHasUnsaved();
  const lastUser = useLastUser(user);
  const factories = useQuery({ ...factoriesQuery, enabled: user != null });
  const [location] = useLocation();
  const expired = user === null && hasUnsaved() ? lastUser : null;
  if (location === '/login' || (user === null && expired === null)) return <SignInPage />;
  const failed = [session, factories].find(({ isError, data }) => isError && data === undefined);
  if (failed !== undefined) {
    return (
      <Container size="xs" pt="xl" component="main">
        <ErrorPanel error={failed.error!} onRetry={() => void failed.refetch()} />
      </Container>
    );
  }
  const shown = user ?? expired;
  if (shown === null || factories.data === undefined) return <Waiting />;
  return (
    <>
      {expired !== null && <SignInPage expired={expired} />}
      <div key={shown.id} hidden={expired !== null}>
        <SessionContext value={shown}>
          <LiveEventsProvider after={shown.lastEventId} isPaused={expired !== null}>
            <DashboardShell />
          </LiveEventsProvider>
        </SessionContext>
      </div>
    </>
  );
}

/** The last signed-in user, who may still be signed in. */
function useLastUser(user: SessionUser | null | undefined): SessionUser | null {
  const [last, setLast] = useState<SessionUser | null>(null);
  if (user != null && user !== last) setLast(user);
  return user ?? last;
}

function Waiting() {
  return (
    <Center h="100dvh" component="main">
      <Loader role="status" aria-label="Loading" />
    </Center>
  );
}
