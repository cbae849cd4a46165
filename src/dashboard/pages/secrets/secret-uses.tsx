import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Secret } from '../../../client/api-types.ts';
import { factoriesQuery } from '../../api/queries.ts';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { factoryPath } from '../../paths.ts';
import { describeSwitch } from './describe-secret.ts';

/** Lists the users of a secret. For webhooks it shows the version in use, and when they switch to the latest. */
export function SecretUses({ secret: { used_by, listed_by, notify, version } }: { secret: Secret }) {
  if (used_by.length + listed_by.length + notify.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Not used
      </Text>
    );
  }
  return (
    <Stack gap={6} align="flex-start">
      {used_by.map((use) => (
        <WebhookUse key={`${use.factory}/${use.webhook}`} use={use} newest={version} />
      ))}
      {listed_by.map(({ factory, automation }) => (
        <UseLine key={`${factory}/${automation}`} factory={factory} kind="automations" name={automation}>
          <Text size="xs" c="dimmed">
            runs get the latest version
          </Text>
        </UseLine>
      ))}
      {notify.map(({ factory, type }) => (
        <Group key={`${factory}/${type}`} gap="xs">
          <UntrustedText text={`${factory}/${type}`} />
          <Text size="xs" c="dimmed">
            notifications use the latest version
          </Text>
        </Group>
      ))}
    </Stack>
  );
}

function WebhookUse({ use, newest }: { use: Secret['used_by'][number]; newest: number }) {
  const { data: factories } = useQuery(factoriesQuery);
  const isOutdated = use.version < newest;
  return (
    <div>
      <UseLine factory={use.factory} kind="webhooks" name={use.webhook}>
        <StatusBadge
          state={isOutdated ? 'outdated' : 'current'}
          label={use.version === 0 ? 'Waiting for secret' : `Uses version ${use.version}`}
        />
      </UseLine>
      {isOutdated && (
        <Text size="xs" c="dimmed" mt={2}>
          Switches to version {newest} {describeSwitch(factories, use.factory)}.
        </Text>
      )}
    </div>
  );
}

interface UseLineProps {
  factory: string;
  kind: 'webhooks' | 'automations';
  name: string;
  children: React.ReactNode;
}

function UseLine({ factory, kind, name, children }: UseLineProps) {
  return (
    <Group gap="xs">
      <Anchor component={Link} href={factoryPath(factory, kind)} size="sm">
        <UntrustedText text={`${factory}/${name}`} />
      </Anchor>
      {children}
    </Group>
  );
}
