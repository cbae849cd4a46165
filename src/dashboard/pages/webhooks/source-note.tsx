import { Text } from '@mantine/core';
import type { Factory, Webhook } from '../../api/types.ts';
import { CopyLine } from '../../parts/copy/copy-line.tsx';
import { FactList } from '../../parts/layout/fact-list.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { ForeignText } from '../../parts/text/foreign-text.tsx';
import { RevisionText } from '../../parts/text/revision-text.tsx';

/** Where the definition of a webhook stands, and so how it is edited. */
export function SourceNote({ webhook, source }: { webhook: Webhook; source: Factory['source'] }) {
  if (source?.type === 'live' || webhook.file === null) return null;
  return (
    <SectionCard title="Definition">
      <Text size="sm" c="dimmed" mb="xs">
        {source?.type === 'repository'
          ? 'The repository decides. Change the file there; it is live as soon as the commit applies.'
          : 'The service hosts the definition: each change here is a commit.'}
      </Text>
      <FactList
        facts={[
          ['File', <CopyLine key="file" value={`${webhook.file}:1`} what="place in the file" />],
          ['Repository', source?.url == null ? null : <ForeignText key="url" text={source.url} />],
          ['Branch', source?.branch ?? null],
          ['Applied with commit', <RevisionText key="revision" revision={webhook.revision} />],
        ]}
      />
    </SectionCard>
  );
}
