import { Progress, Stack, Text } from '@mantine/core';
import type { Replay } from '../../../client/api-types.ts';

/** How much of a replay is done. */
export function ReplayProgress({ replay: { examined, total } }: { replay: Replay }) {
  const percent = total === 0 ? 100 : Math.floor((examined * 100) / total);
  return (
    <Stack gap={4} miw={140}>
      <Progress value={percent} aria-label="Examined deliveries" />
      <Text size="sm">
        {examined.toLocaleString()} of {total.toLocaleString()}
      </Text>
    </Stack>
  );
}
