import { List, Text } from '@mantine/core';

/** Lists the effects of a change before it is done, one sentence each. */
export function EffectList({ effects }: { effects: readonly string[] }) {
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        What this does
      </Text>
      <List size="sm" spacing={4}>
        {effects.map((effect) => (
          <List.Item key={effect}>{effect}</List.Item>
        ))}
      </List>
    </div>
  );
}
