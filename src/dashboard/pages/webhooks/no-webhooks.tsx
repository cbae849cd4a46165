import { Button, Code } from '@mantine/core';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { Link } from 'wouter';
import type { Factory } from '../../../client/api-types.ts';
import { EmptyState } from '../../parts/layout/empty-state.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { factoryPath } from '../../paths.ts';
import { useMay } from '../../shell/context/session-user.ts';

/** Whether the user may add and change webhooks here. Nobody can if the factory is managed in Git. */
export function useMayEditWebhooks({ source }: Factory): boolean {
  const isManager = useMay('manager');
  return isManager && source !== null && source.type !== 'repository';
}

/** Link to the form for a new webhook. */
export function AddWebhookButton({ factory }: { factory: string }) {
  return (
    <Button component={Link} href={factoryPath(factory, 'webhooks/new')} leftSection={<Plus size={16} aria-hidden />}>
      Add webhook
    </Button>
  );
}

/** Empty state of the webhooks of a factory: how to add the first one. */
export function NoWebhooks({ factory }: { factory: Factory }) {
  const mayAdd = useMayEditWebhooks(factory);
  const isRepository = factory.source?.type === 'repository';
  if (factory.applied_revision === null && factory.attempted_revision !== null)
    return <NothingLive factory={factory} />;
  return (
    <EmptyState
      icon={WebhookIcon}
      title="No webhooks yet"
      action={mayAdd ? <AddWebhookButton factory={factory.name} /> : undefined}
    >
      {isRepository ? (
        <>
          Webhooks are defined in this factory’s repository. <HowToCommit factory={factory} />
        </>
      ) : (
        'A webhook is a URL that an external system posts JSON to. Automations that use it start runs.'
      )}
    </EmptyState>
  );
}

/** The definition may contain webhooks, but it was never applied. */
function NothingLive({ factory: { name } }: { factory: Factory }) {
  return (
    <EmptyState
      icon={WebhookIcon}
      title="No live webhooks"
      action={
        <Button component={Link} href={factoryPath(name, 'reconciliations')} variant="default">
          View reconciliations
        </Button>
      }
    >
      The definition of this factory has not been applied yet. Its webhooks appear here when it is.
    </EmptyState>
  );
}

/** How to add a webhook if the factory is managed in Git. */
export function HowToCommit({ factory: { source } }: { factory: Factory }) {
  const folder = source?.path == null || source.path === '.' || source.path === '' ? '' : `${source.path}/`;
  return (
    <>
      To add a webhook, commit a file{' '}
      <Code>
        <UntrustedText text={folder} />
        webhooks/&lt;name&gt;.yaml
      </Code>{' '}
      with <Code>secretName:</Code> to the branch{' '}
      <Code>
        <UntrustedText text={source?.branch ?? 'main'} />
      </Code>
      . The webhook is live when the commit is applied.
    </>
  );
}
