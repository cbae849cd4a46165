import { Alert, Button, Divider, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleAlert, LogIn } from 'lucide-react';
import { useState } from 'react';
import { signInWaysQuery } from '../../api/sign-in-ways.ts';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { describeProviderError } from './describe-provider-error.ts';
import { readReturnPath } from './read-return-path.ts';

/** The button for the OpenID provider, if one is configured, and the error of the last attempt. */
export function ProviderSignIn() {
  const { data: ways } = useQuery(signInWaysQuery);
  const [error] = useState(() => describeProviderError(window.location.search));
  const provider = ways?.oidc ?? null;
  return (
    <>
      {error !== null && (
        <Alert role="alert" color="red" variant="light" radius="md" icon={<CircleAlert />} title={error.title}>
          <Text size="sm">{error.advice}</Text>
        </Alert>
      )}
      {provider !== null && (
        <Stack>
          <Button component="a" href={composeAddress(provider.url)} leftSection={<LogIn size={18} />} fullWidth>
            Sign in with&nbsp;
            <UntrustedText text={provider.label} />
          </Button>
          <Divider label="or" />
        </Stack>
      )}
    </>
  );
}

function composeAddress(url: string): string {
  const path = readReturnPath(window.location);
  return path === '/' ? url : `${url}?${new URLSearchParams({ return_to: path })}`;
}
