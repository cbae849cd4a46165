import { Anchor, Text } from '@mantine/core';
import { SectionCard } from '../../../parts/layout/section-card.tsx';

/** The daemon serves the documentation of its version, so it works without internet access. */
export function Documentation() {
  return (
    <SectionCard title="Documentation">
      <Text size="sm">
        <Anchor href="/docs/" target="_blank" rel="noreferrer" underline="always">
          Documentation of this version
        </Anchor>
        : tutorials, how-to guides, reference and concepts, with a search.
      </Text>
    </SectionCard>
  );
}
