import {
  Alert,
  Button,
  Center,
  Code,
  Loader,
  Paper,
  PasswordInput,
  Stack,
  Tabs,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Hourglass } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { type SessionUser, type SignInCredentials, sessionQuery, signIn } from '../../api/session.ts';
import bell from '../../bell.svg';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { describeSignInError } from './describe-sign-in-error.ts';
import { ProviderSignIn } from './provider-sign-in.tsx';
import { readReturnPath } from './read-return-path.ts';

/**
 * Sign-in with the OpenID provider, a password, an API token, or a login link.
 *
 * @param expired user whose session expired while changes were unsaved
 */
export function SignInPage({ expired = null }: { expired?: SessionUser | null }) {
  useTitleMeanwhile('Sign in · Dockbell');
  const { mutate, isPending, error, variables } = useSignIn();
  const [token] = useState(takeLoginToken);
  useEffect(() => {
    if (token !== null) mutate({ login_token: token });
  }, [mutate, token]);
  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder radius="lg" p="xl" w="100%" maw={420}>
        <Stack>
          <Stack gap={4} align="center">
            <img src={bell} width={48} height={48} alt="" />
            <Title order={1} size="h3">
              Sign in to Dockbell
            </Title>
          </Stack>
          {expired !== null && error === null && (
            <Alert color="orange" icon={<Hourglass />} title="Your session has expired">
              Sign in again as <UntrustedText text={expired.name} /> to continue. Your unsaved changes are kept.
            </Alert>
          )}
          {error !== null && <ErrorPanel error={describeSignInError(error, variables)} />}
          {token !== null && isPending ? (
            <Center py="lg">
              <Loader role="status" aria-label="Signing in" />
            </Center>
          ) : (
            <>
              <ProviderSignIn />
              <SignInForms onSignIn={mutate} isPending={isPending} />
            </>
          )}
        </Stack>
      </Paper>
    </Center>
  );
}

/** Sets the title while mounted, because a hidden page behind this one does not. */
function useTitleMeanwhile(title: string): void {
  useEffect(() => {
    const before = document.title;
    document.title = title;
    return () => {
      document.title = before;
    };
  }, [title]);
}

function useSignIn() {
  const queryClient = useQueryClient();
  const [location, navigate] = useLocation();
  return useMutation({
    mutationFn: signIn,
    onSuccess: async (user) => {
      // The session query of the page load may still be in flight. Its answer is outdated.
      await queryClient.cancelQueries(sessionQuery);
      queryClient.setQueryData(sessionQuery.queryKey, user);
      if (location === '/login') navigate(readReturnPath(window.location), { replace: true });
    },
  });
}

interface FormProps {
  onSignIn: (credentials: SignInCredentials) => void;
  isPending: boolean;
}

function SignInForms(props: FormProps) {
  return (
    <Tabs defaultValue="password" keepMounted={false}>
      <Tabs.List grow mb="md">
        <Tabs.Tab value="password">Password</Tabs.Tab>
        <Tabs.Tab value="token">API token</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="password">
        <PasswordForm {...props} />
      </Tabs.Panel>
      <Tabs.Panel value="token">
        <TokenForm {...props} />
      </Tabs.Panel>
    </Tabs>
  );
}

function PasswordForm({ onSignIn, isPending }: FormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    onSignIn({ username: String(fields.get('username')), password: String(fields.get('password')) });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput name="username" label="User name" autoComplete="username" required />
        <PasswordInput name="password" label="Password" autoComplete="current-password" required />
        <Button type="submit" loading={isPending} fullWidth>
          Sign in
        </Button>
        <Text size="xs" c="dimmed">
          No account yet? Run <Code>dockbell login-link</Code> on the daemon host to create a one-time sign-in link.
        </Text>
      </Stack>
    </form>
  );
}

function TokenForm({ onSignIn, isPending }: FormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSignIn({ api_token: String(new FormData(event.currentTarget).get('token')).trim() });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <PasswordInput
          name="token"
          label="API token"
          description="The first token is in the file admin-token in the data directory."
          placeholder="dbk_…"
          autoComplete="off"
          required
        />
        <Button type="submit" loading={isPending} fullWidth>
          Sign in
        </Button>
        <Text size="xs" c="dimmed">
          The session has the role of the token and ends when the token is revoked.
        </Text>
      </Stack>
    </form>
  );
}

/**
 * The token of a login link, `/login#token=…`; `null` without one. Fragments are not sent to servers. The token is removed from
 * the URL immediately, so that it does not stay in the browser history.
 */
function takeLoginToken(): string | null {
  const token = new URLSearchParams(window.location.hash.slice(1)).get('token');
  if (token !== null) window.history.replaceState(null, '', window.location.pathname);
  return token;
}
