import { Alert, Badge, Text } from '@mantine/core';
import { Radio, WifiOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useLostSince } from '../../parts/live/use-live-events.ts';
import { TimeText } from '../../parts/time/time-text.tsx';

/** Short interruptions are not shown: proxies close streams now and then, and browsers reconnect within seconds. */
const GRACE_MS = 2_000;

/** When the connection was lost; `null` while connected and during the grace period. */
function useNoticeableLoss(): number | null {
  const sinceMs = useLostSince();
  const [noticed, setNoticed] = useState<number | null>(null);
  useEffect(() => {
    if (sinceMs === null) return;
    const timer = setTimeout(() => setNoticed(sinceMs), sinceMs + GRACE_MS - Date.now());
    return () => clearTimeout(timer);
  }, [sinceMs]);
  return sinceMs !== null && noticed === sinceMs ? sinceMs : null;
}

/** Shows in the header whether the page receives live updates. */
export function ConnectionState() {
  const isLost = useNoticeableLoss() !== null;
  const Icon = isLost ? WifiOff : Radio;
  return (
    <Badge
      role="status"
      color={isLost ? 'red' : 'teal'}
      variant="light"
      radius="sm"
      tt="none"
      miw="max-content"
      // Hidden on phones. The banner is shown there too.
      visibleFrom="sm"
      leftSection={<Icon size={13} aria-hidden />}
    >
      {isLost ? 'Offline' : 'Live'}
    </Badge>
  );
}

/** Shown above the page while the daemon is not reachable, because the shown data may be outdated. */
export function OfflineBanner() {
  const sinceMs = useNoticeableLoss();
  if (sinceMs === null) return null;
  return (
    <Alert role="alert" color="red" icon={<WifiOff />} title="No connection to the daemon" mb="lg">
      <Text size="sm" component="div">
        This page was last updated <TimeText at={new Date(sinceMs).toISOString()} />. Dockbell reconnects automatically.
        If this message stays, check that the daemon is running and that this browser can reach it.
      </Text>
    </Alert>
  );
}
