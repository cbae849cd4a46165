import { Button, Code, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { AutomationDecision, Delivery, DeliveryExplanation } from '../../../client/api-types.ts';
import { explanationQuery } from '../../api/deliveries.ts';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import classes from './deliveries.module.css';

/** Why each automation started or did not start. */
export function DeliveryDecisions({ delivery }: { delivery: Delivery }) {
  const query = useInfiniteQuery(explanationQuery(delivery.factory, delivery.id));
  const { error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const pages = query.data?.pages;
  const decisions = pages?.flatMap((page) => page.decisions);
  return (
    <Stack component="section" gap="xs" aria-label="Decisions">
      <Title order={2} size="h5">
        Decisions
      </Title>
      {error !== null ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : pages === undefined || decisions === undefined ? (
        <Skeleton height={40} />
      ) : decisions.length === 0 ? (
        <Text size="sm" c="dimmed">
          No automation used this webhook when the delivery arrived.
        </Text>
      ) : (
        <>
          <ul className={classes.decisions}>
            {decisions.map((decision) => (
              <DecisionRow key={decision.automation} decision={decision} factory={delivery.factory} />
            ))}
          </ul>
          <OmittedDecisions counts={pages[0]!.not_stored} />
          {hasNextPage && (
            <Button
              variant="default"
              loading={isFetchingNextPage}
              onClick={() => void fetchNextPage()}
              style={{ alignSelf: 'center' }}
            >
              Show more
            </Button>
          )}
        </>
      )}
    </Stack>
  );
}

function OmittedDecisions({ counts }: { counts: DeliveryExplanation['not_stored'] }) {
  const total = counts.filtered + counts.disabled + counts.filter_error;
  if (total === 0) return null;
  return (
    <Text size="sm" c="dimmed">
      {total} more automations did not start. Their decisions were not stored. Every automation that started is listed.
    </Text>
  );
}

const OUTCOME_WORDS: Readonly<Record<AutomationDecision['outcome'], string>> = {
  started: 'Started',
  filtered: 'Not started: filter',
  disabled: 'Not started: disabled',
  filter_error: 'Filter failed',
  ignored_actor: 'Not started: ignored account',
  loop_guard: 'Not started: loop guard',
  paused: 'Paused',
};

function DecisionRow({ decision, factory }: { decision: AutomationDecision; factory: string }) {
  const { automation, outcome, run, path, message } = decision;
  return (
    <li className={classes.decision}>
      <Group gap="xs">
        <Text fw={600} size="sm" style={{ overflowWrap: 'anywhere' }}>
          <ObjectLink factory={factory} kind="automations" id={automation}>
            <UntrustedText text={automation} />
          </ObjectLink>
        </Text>
        <StatusBadge state={outcome} label={OUTCOME_WORDS[outcome]} />
        {run !== null && (
          <Text size="sm" component="span">
            <ObjectLink factory={factory} kind="runs" id={run} />
          </Text>
        )}
      </Group>
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {path !== null && (
          <>
            Decided by{' '}
            <Code>
              <UntrustedText text={path} />
            </Code>
            :{' '}
          </>
        )}
        <UntrustedText text={message} />
      </Text>
    </li>
  );
}
