import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { Link } from 'wouter';
import type { Condition, Factory } from '../../../client/api-types.ts';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { factoryPath } from '../../paths.ts';
import type { HealthFinding } from './assess-health.ts';
import { describeCondition } from './describe-condition.ts';

/** Conditions of the factory that need attention, with advice. */
export function ConditionAlerts({ conditions, factory }: { conditions: readonly Condition[]; factory: Factory }) {
  return (
    <Stack gap="sm">
      {conditions.map((condition) => (
        <ConditionAlert key={condition.type} condition={condition} factory={factory} />
      ))}
    </Stack>
  );
}

function ConditionAlert({ condition, factory }: { condition: Condition; factory: Factory }) {
  const { title, isSevere, advice, page } = describeCondition(condition, factory.applied_revision !== null);
  return (
    <Alert color={isSevere ? 'red' : 'orange'} icon={<TriangleAlert />} title={title}>
      <Stack gap={4}>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <UntrustedText text={condition.message} />
        </Text>
        <Text size="sm" component="div">
          {advice} Since <TimeText at={condition.since} />.{' '}
          {page !== null && (
            <Anchor component={Link} href={factoryPath(factory.name, page.path)} size="sm" underline="always">
              {page.label}
            </Anchor>
          )}
        </Text>
      </Stack>
    </Alert>
  );
}

/** Recent failures, each with a link. */
export function HealthFindings({ findings }: { findings: readonly HealthFinding[] }) {
  if (findings.length === 0) return null;
  return (
    <Alert color="orange" icon={<TriangleAlert />} title="Needs attention">
      <Stack gap={4} component="ul" m={0} pl="md">
        {findings.map(({ title, link }) => (
          <Text key={title} component="li" size="sm">
            {title}.{' '}
            <Anchor component={Link} href={link.href} size="sm" underline="always">
              {link.label}
            </Anchor>
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}
