import { Anchor, List, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Run } from '../../../client/api-types.ts';
import { isNotFound } from '../../../client/read-answer.ts';
import { formatSize } from '../../../domain/words/quantities.ts';
import { attachmentHref, runInputQuery } from '../../api/runs.ts';
import { CodeBlock } from '../../parts/copy/code-block.tsx';
import { JsonTree } from '../../parts/json/json-tree.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { DeliveryPayload } from '../deliveries/delivery-payload.tsx';

/** The input of a run: prompt, envelope, attachments, overrides. */
export function RunInput({ run }: { run: Run }) {
  const { data, error, refetch } = useQuery(runInputQuery(run.factory, run.id));
  if (isNotFound(error)) return <Text c="dimmed">The input of this run is no longer stored.</Text>;
  if (error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={200} />;
  return (
    <Stack gap="lg">
      <section>
        <Title order={2} size="h5" mb="xs">
          Prompt
        </Title>
        <CodeBlock what="prompt" code={data.prompt} wraps />
      </section>
      <section>
        <Title order={2} size="h5" mb={4}>
          Envelope
        </Title>
        <Text size="sm" c="dimmed" mb="xs">
          Appended to the prompt. It describes where the payload comes from.
        </Text>
        <CodeBlock what="envelope" code={data.envelope} wraps />
      </section>
      <section>
        <Title order={2} size="h5" mb="xs">
          Attachments
        </Title>
        <List size="sm">
          {data.attachments.map(({ name, size, media_type }) => (
            <List.Item key={name}>
              <Anchor href={attachmentHref(run.id, name)} download={name}>
                <UntrustedText text={name} />
              </Anchor>{' '}
              ({media_type}, {formatSize(size)})
            </List.Item>
          ))}
        </List>
      </section>
      <DeliveryPayload delivery={{ factory: run.factory, id: run.delivery }} />
      {Object.keys(data.overrides).length > 0 && (
        <section>
          <Title order={2} size="h5" mb="xs">
            Overrides
          </Title>
          <JsonTree label="Overrides" value={data.overrides} />
        </section>
      )}
    </Stack>
  );
}
