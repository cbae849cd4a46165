import { Stack } from '@mantine/core';
import { FactList } from '../../parts/layout/fact-list.tsx';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { useSessionUser } from '../../shell/context/session-user.ts';
import { OwnPassword } from './own-password.tsx';
import { OwnSessions } from './own-sessions.tsx';

const KINDS = {
  local: 'Password',
  oidc: 'OpenID provider',
  token: 'API token',
  link: 'Login link',
};

/** Permissions, password and sessions of the signed-in user. */
export function AccountPage() {
  const { name, role, factories, kind } = useSessionUser();
  return (
    <>
      <PageHeader title="Your account" />
      <Stack gap="lg" maw={960}>
        <SectionCard title="Profile">
          <FactList
            facts={[
              ['User', <UntrustedText key="name" text={name} />],
              ['Signed in with', KINDS[kind]],
              ['Role', role],
              ['Factories', factories === null ? 'All' : factories.join(', ')],
            ]}
          />
        </SectionCard>
        <OwnPassword />
        <OwnSessions />
      </Stack>
    </>
  );
}
