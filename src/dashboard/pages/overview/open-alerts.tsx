import { Alert, Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { BellRing } from 'lucide-react';
import { Link } from 'wouter';
import { countOf } from '../../../domain/words/quantities.ts';
import { openAlertsQuery } from '../../api/alerts.ts';

/** The open alerts of a factory, with a link to the page of all alerts. Nothing while there is none. */
export function OpenAlerts({ factory }: { factory: string }) {
  const { data: open = [] } = useQuery(openAlertsQuery(factory));
  if (open.length === 0) return null;
  const titles = [...new Set(open.map(({ title }) => title))].join(', ');
  return (
    <Alert color="orange" icon={<BellRing />} title={countOf(open.length, 'open alert')}>
      <Text size="sm">
        {titles}.{' '}
        <Anchor component={Link} href="/alerts" size="sm" underline="always">
          View alerts
        </Anchor>
      </Text>
    </Alert>
  );
}
