import { Alert, Text } from '@mantine/core';
import { CirclePause } from 'lucide-react';
import type { Pause } from '../../../client/api-types.ts';
import { UntrustedText } from '../text/untrusted-text.tsx';
import { TimeText } from '../time/time-text.tsx';

/** Who paused an automation, and why. */
export function PauseAlert({ pause }: { pause: Pause }) {
  return (
    <Alert color="orange" variant="light" radius="md" icon={<CirclePause />} title="Paused: no run starts">
      <Text size="sm" component="div">
        <UntrustedText text={pause.paused_by.name} /> paused it <TimeText at={pause.paused_at} />.{' '}
        {pause.reason !== null && <UntrustedText text={pause.reason} />}
      </Text>
    </Alert>
  );
}
