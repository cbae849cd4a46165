import { Badge, Button, Group, List, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import type { Backtest } from '../../../../client/api-types.ts';
import { describeUnrecorded } from '../../../../domain/words/payload-filters.ts';
import { countOf } from '../../../../domain/words/quantities.ts';
import { type BacktestRequest, backtest } from '../../../api/automations.ts';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { UntrustedText } from '../../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../../parts/time/time-text.tsx';
import { useFactorySource } from '../use-factory-source.ts';

interface AutomationBacktestProps {
  request: BacktestRequest;
  /** Whether the triggers are complete enough to be evaluated. */
  isUsable: boolean;
}

const DEBOUNCE_MS = 600;

/** Evaluates the triggers with stored deliveries. After the first run it follows every change. */
export function AutomationBacktest({ request, isUsable }: AutomationBacktestProps) {
  const { factory } = useFactorySource();
  const [isAsked, setIsAsked] = useState(false);
  const [settled] = useDebouncedValue(JSON.stringify(request), DEBOUNCE_MS);
  const { data, error, isFetching } = useQuery({
    queryKey: ['factory', factory, 'backtest', settled],
    queryFn: () => backtest(factory, JSON.parse(settled)),
    enabled: isAsked && isUsable,
    placeholderData: keepPreviousData,
  });
  return (
    <Paper withBorder radius="lg" p="md" component="section" aria-label="Backtest">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4">
            Backtest
          </Title>
          <Button
            size="xs"
            variant="light"
            leftSection={<History size={15} />}
            disabled={!isUsable}
            loading={isFetching}
            onClick={() => setIsAsked(true)}
          >
            Run backtest
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          Evaluates these triggers with the deliveries of the last 7 days and shows which of them would have started a
          run.
          {!request.enabled && ' The automation is disabled, so it would start none.'}
        </Text>
        <div role="status" aria-label="Backtest result">
          {error !== null ? <ErrorPanel error={error} /> : data !== undefined && <Result backtest={data} />}
        </div>
      </Stack>
    </Paper>
  );
}

function Result({ backtest: { stored, examined, sampled, automations } }: { backtest: Backtest }) {
  const [change] = automations;
  if (stored === 0 || change === undefined) {
    return <Text size="sm">No deliveries of these webhooks are stored for this period.</Text>;
  }
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Text size="xl" fw={700}>
          {countOf(change.before, 'start')} → {change.after}
        </Text>
        {change.gained_count > 0 && (
          <Badge color="teal" variant="light" tt="none">{`${change.gained_count} gained`}</Badge>
        )}
        {change.lost_count > 0 && <Badge color="orange" variant="light" tt="none">{`${change.lost_count} lost`}</Badge>}
      </Group>
      <Text size="sm">
        {sampled
          ? `Evaluated an even sample: ${examined} of ${stored} stored deliveries. The numbers apply to the sample.`
          : `Evaluated all ${stored} stored deliveries.`}
      </Text>
      {change.unrecorded > 0 && <Text size="sm">{describeUnrecorded(change.unrecorded)}</Text>}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Examples title="Would start now" examples={change.gained} />
        <Examples title="Would no longer start" examples={change.lost} />
      </SimpleGrid>
    </Stack>
  );
}

type Example = Backtest['automations'][number]['gained'][number];

function Examples({ title, examples }: { title: string; examples: Example[] }) {
  if (examples.length === 0) return null;
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {title}
      </Text>
      <List size="sm" spacing={6} listStyleType="none">
        {examples.map(({ delivery, received_at, message }) => (
          <List.Item key={delivery}>
            <span style={{ overflowWrap: 'anywhere' }}>
              <UntrustedText text={message} />
            </span>
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              <TimeText at={received_at} />, <UntrustedText text={delivery} />
            </Text>
          </List.Item>
        ))}
      </List>
    </div>
  );
}
