import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Alert } from '../../../client/api-types.ts';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { factoryPath, type ObjectKind } from '../../paths.ts';

const PAGES: Readonly<Partial<Record<string, ObjectKind>>> = { webhook: 'webhooks', automation: 'automations' };

/** What an alert is about, with a link to its page. */
export function AlertSubject({ alert: { factory, object } }: { alert: Alert }) {
  if (object === null && factory === null) return <Text size="sm">Installation</Text>;
  return (
    <>
      <Subject factory={factory} object={object} />
      {object !== null && factory !== null && (
        <Text size="xs" c="dimmed">
          {factory}
        </Text>
      )}
    </>
  );
}

function Subject({ factory, object }: Pick<Alert, 'factory' | 'object'>) {
  if (object?.kind === 'token') {
    return (
      <Anchor component={Link} href="/settings" inherit>
        <UntrustedText text={object.name} />
      </Anchor>
    );
  }
  const kind = object === null ? undefined : PAGES[object.kind];
  if (factory !== null && object !== null && kind !== undefined) {
    return (
      <ObjectLink factory={factory} kind={kind} id={object.id}>
        <UntrustedText text={object.name} />
      </ObjectLink>
    );
  }
  return (
    <Anchor component={Link} href={factoryPath(factory ?? '')} inherit>
      {factory}
    </Anchor>
  );
}
