import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { Link } from 'wouter';
import type { Condition, Factory } from '../../api/types.ts';
import { ForeignText } from '../../parts/text/foreign-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { describeTrouble } from './list-troubles.ts';

/** The conditions that are not as they should be, with what to do about each. */
export function Troubles({ troubles, factory }: { troubles: readonly Condition[]; factory: Factory }) {
  return (
    <Stack gap="sm">
      {troubles.map((condition) => (
        <Trouble key={condition.type} condition={condition} factory={factory} />
      ))}
    </Stack>
  );
}

function Trouble({ condition, factory }: { condition: Condition; factory: Factory }) {
  const { title, isGrave, advice, page } = describeTrouble(condition, factory.applied_revision !== null);
  const href = `/factories/${encodeURIComponent(factory.name)}/${page?.path}`;
  return (
    <Alert color={isGrave ? 'red' : 'orange'} icon={<TriangleAlert />} title={title}>
      <Stack gap={4}>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <ForeignText text={condition.message} />
        </Text>
        <Text size="sm" component="div">
          {advice} Since <TimeText at={condition.since} />.{' '}
          {page !== null && (
            <Anchor component={Link} href={href} size="sm" underline="always">
              {page.label}
            </Anchor>
          )}
        </Text>
      </Stack>
    </Alert>
  );
}
