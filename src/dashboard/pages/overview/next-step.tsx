import { Alert, Anchor, Text } from '@mantine/core';
import { Zap } from 'lucide-react';
import { Link } from 'wouter';
import type { Factory } from '../../api/types.ts';
import { NoWebhooks } from '../webhooks/no-webhooks.tsx';

/** Where a factory has no webhook yet, or nothing that listens to them: what comes next. */
export function NextStep({ factory }: { factory: Factory }) {
  const { name, applied_revision, counts } = factory;
  if (applied_revision === null) return null;
  if (counts.webhooks === 0) return <NoWebhooks factory={factory} />;
  if (counts.automations > 0) return null;
  return (
    <Alert color="blue" icon={<Zap />} title="Deliveries start nothing yet">
      <Text size="sm">
        They are accepted and logged. An automation says which of them start a run, and what it is asked to do.{' '}
        <Anchor
          component={Link}
          href={`/factories/${encodeURIComponent(name)}/automations`}
          size="sm"
          underline="always"
        >
          To the automations
        </Anchor>
      </Text>
    </Alert>
  );
}
