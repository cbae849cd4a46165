import { Button, Code } from '@mantine/core';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { Link } from 'wouter';
import type { Factory } from '../../api/types.ts';
import { EmptyState } from '../../parts/layout/empty-state.tsx';
import { ForeignText } from '../../parts/text/foreign-text.tsx';
import { useMay } from '../../shell/context/session-user.ts';

/** May the reader add and change webhooks here? Where a repository decides, nobody may. */
export function useMayEditWebhooks({ source }: Factory): boolean {
  const isManager = useMay('manager');
  return isManager && source !== null && source.type !== 'repository';
}

/** To the page that adds one. */
export function AddWebhookButton({ factory }: { factory: string }) {
  return (
    <Button
      component={Link}
      href={`/factories/${encodeURIComponent(factory)}/webhooks/new`}
      leftSection={<Plus size={16} aria-hidden />}
    >
      Add webhook
    </Button>
  );
}

/** In the place of a factory's webhooks where there is none: how the first one comes. */
export function NoWebhooks({ factory }: { factory: Factory }) {
  const mayAdd = useMayEditWebhooks(factory);
  const isRepository = factory.source?.type === 'repository';
  if (factory.applied_revision === null && factory.attempted_revision !== null)
    return <NothingLive factory={factory} />;
  return (
    <EmptyState
      icon={WebhookIcon}
      title="No webhook yet"
      action={mayAdd ? <AddWebhookButton factory={factory.name} /> : undefined}
    >
      {isRepository ? (
        <>
          The repository of this factory decides. <HowToCommit factory={factory} />
        </>
      ) : (
        'A webhook gives an outside system a URL to post JSON to. Automations that listen to it then start runs.'
      )}
    </EmptyState>
  );
}

/** There may be files of webhooks, but none was ever applied. */
function NothingLive({ factory: { name } }: { factory: Factory }) {
  return (
    <EmptyState
      icon={WebhookIcon}
      title="No webhook is live"
      action={
        <Button component={Link} href={`/factories/${encodeURIComponent(name)}/reconciliations`} variant="default">
          See the last passes
        </Button>
      }
    >
      The definition of this factory did not apply yet. Its webhooks are there as soon as it does.
    </EmptyState>
  );
}

/** How a webhook is added where a repository decides. */
export function HowToCommit({ factory: { source } }: { factory: Factory }) {
  const folder = source?.path == null || source.path === '.' || source.path === '' ? '' : `${source.path}/`;
  return (
    <>
      Add a file{' '}
      <Code>
        <ForeignText text={folder} />
        webhooks/&lt;name&gt;.yaml
      </Code>{' '}
      with <Code>secretName:</Code> to its branch{' '}
      <Code>
        <ForeignText text={source?.branch ?? 'main'} />
      </Code>
      ; the webhook is live as soon as the commit applies.
    </>
  );
}
