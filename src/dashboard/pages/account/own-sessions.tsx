import { Button, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { BrowserSession } from '../../../client/api-types.ts';
import { escapeText } from '../../../domain/words/escape-text.ts';
import { toProblem } from '../../api/problem.ts';
import { endOtherSessions, endSession, sessionsQuery } from '../../api/session.ts';
import { ConfirmChange } from '../../parts/dialog/confirm-change.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { describeBrowser } from '../../parts/sessions/describe-browser.ts';
import { SessionTable } from '../../parts/sessions/session-table.tsx';

/** Sessions of the signed-in user. */
export function OwnSessions() {
  const { data: sessions, error, refetch } = useQuery(sessionsQuery);
  const [isEndingAll, setIsEndingAll] = useState(false);
  const others = sessions?.filter(({ current }) => !current).length ?? 0;
  const endAll = (
    <Button variant="default" onClick={() => setIsEndingAll(true)}>
      Sign out other sessions
    </Button>
  );
  return (
    <SectionCard title="Sessions" actions={others > 0 ? endAll : undefined}>
      <Stack>
        <Text size="sm" c="dimmed">
          {others === 0 && sessions !== undefined
            ? 'You are signed in with this browser only.'
            : 'Browsers that are signed in to your account. If you do not recognize one, sign it out and change your password.'}
        </Text>
        {error === null ? (
          <SessionTable
            label="Your sessions"
            sessions={sessions}
            renderActions={(session) => (session.current ? null : <EndSession session={session} />)}
          />
        ) : (
          <ErrorPanel error={error} onRetry={() => void refetch()} />
        )}
        {isEndingAll && <EndOthers count={others} onClose={() => setIsEndingAll(false)} />}
      </Stack>
    </SectionCard>
  );
}

function EndSession({ session: { id, user_agent, client_address } }: { session: BrowserSession }) {
  const queryClient = useQueryClient();
  const where = escapeText(`${describeBrowser(user_agent)} at ${client_address}`);
  const { mutate, isPending } = useMutation({
    mutationFn: () => endSession(id),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      notifications.show({ message: `Signed out ${where}.` });
    },
    onError: (error) =>
      void notifications.show({ color: 'red', title: 'Sign-out failed', message: toProblem(error).detail }),
  });
  return (
    <Button
      size="xs"
      variant="subtle"
      color="red"
      loading={isPending}
      aria-label={`Sign out ${where}`}
      onClick={() => mutate()}
    >
      Sign out
    </Button>
  );
}

function EndOthers({ count, onClose }: { count: number; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: endOtherSessions,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      notifications.show({ message: 'All other sessions were signed out.' });
      onClose();
    },
  });
  return (
    <ConfirmChange
      opened
      onClose={onClose}
      title="Sign out other sessions"
      effects={[
        count === 1
          ? '1 other session is signed out immediately.'
          : `${count} other sessions are signed out immediately.`,
        'You stay signed in here.',
        'Anyone who knows your password can sign in again. In that case, change your password.',
      ]}
      action="Sign out other sessions"
      onConfirm={() => mutate()}
      isPending={isPending}
      error={error}
    />
  );
}
