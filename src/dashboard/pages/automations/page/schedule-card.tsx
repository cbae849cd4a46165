import { Anchor, List, Paper, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { ProviderTrigger } from '../../../../client/api-types.ts';
import { describeCatchUp, describeSchedule } from '../../../../domain/words/automations.ts';
import { UntrustedText } from '../../../parts/text/untrusted-text.tsx';
import { ExactTime, TimeText } from '../../../parts/time/time-text.tsx';
import { objectPath } from '../../../paths.ts';

/** A trigger with a schedule: its last time, what was missed, and the next times. */
export function ScheduleCard({ ticks, factory }: { ticks: NonNullable<ProviderTrigger['ticks']>; factory: string }) {
  return (
    <Paper withBorder radius="lg" p="md">
      <Text size="sm" mb="xs">
        Schedule <UntrustedText text={describeSchedule(ticks)} />. {describeCatchUp(ticks)}
      </Text>
      {ticks.last_at !== null && (
        <Text size="sm" component="div">
          Last time: <TimeText at={ticks.last_at} />{' '}
          {ticks.last_delivery !== null && (
            <Anchor component={Link} href={objectPath(factory, 'deliveries', ticks.last_delivery)} underline="always">
              Show the tick
            </Anchor>
          )}
        </Text>
      )}
      {ticks.last_missed_at !== null && (
        <Text size="sm" component="div" c="var(--mantine-color-error)">
          Missed: {ticks.missed}, the last at <TimeText at={ticks.last_missed_at} />
        </Text>
      )}
      <Text size="sm">Next times:</Text>
      <List size="sm">
        {ticks.next_at.map((at) => (
          <List.Item key={at}>
            <ExactTime at={at} />
          </List.Item>
        ))}
      </List>
    </Paper>
  );
}
