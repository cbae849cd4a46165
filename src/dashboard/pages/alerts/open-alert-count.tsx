import { Badge, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { openAlertsQuery } from '../../api/alerts.ts';

/** The number of open alerts, for the navigation. Nothing while there is none. */
export function OpenAlertCount() {
  const { data: open } = useQuery(openAlertsQuery(null));
  const count = open?.length ?? 0;
  if (count === 0) return null;
  return (
    <Badge color="red.8" size="sm" tt="none">
      {count >= 100 ? '99+' : count}
      <VisuallyHidden> open</VisuallyHidden>
    </Badge>
  );
}
