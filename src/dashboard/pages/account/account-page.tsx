import { Stack } from '@mantine/core';
import { FactList } from '../../parts/layout/fact-list.tsx';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { ForeignText } from '../../parts/text/foreign-text.tsx';
import { useSessionUser } from '../../shell/context/session-user.ts';
import { OwnPassword } from './own-password.tsx';
import { OwnSessions } from './own-sessions.tsx';

const KINDS = {
  local: 'name and password',
  oidc: 'the OpenID provider',
  token: 'an API token',
  link: 'a one-time login link',
};

/** What the reader may do here, the own password, and where the reader is signed in. */
export function AccountPage() {
  const { name, role, factories, kind } = useSessionUser();
  return (
    <>
      <PageHeader title="Your account" />
      <Stack gap="lg" maw={960}>
        <SectionCard title="Signed in">
          <FactList
            facts={[
              ['As', <ForeignText key="name" text={name} />],
              ['By', KINDS[kind]],
              ['Role', role],
              ['Factories', factories === null ? 'all' : factories.join(', ')],
            ]}
          />
        </SectionCard>
        <OwnPassword />
        <OwnSessions />
      </Stack>
    </>
  );
}
