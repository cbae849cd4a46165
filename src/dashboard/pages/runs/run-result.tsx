import { Alert, Anchor, Card, List, Text, Title } from '@mantine/core';
import type { Run } from '../../../client/api-types.ts';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';

/** What a run says about its work in `result.json`. */
export function RunResult({ run: { result } }: { run: Run }) {
  if (result === null) return null;
  const { summary, links, artifacts, problem } = result;
  return (
    <Card withBorder component="section" aria-labelledby="run-result">
      <Title order={2} size="h5" mb="xs" id="run-result">
        Result
      </Title>
      {problem !== null && (
        <Alert color="yellow" title="The result cannot be shown">
          <UntrustedText text={problem} />
        </Alert>
      )}
      {summary !== null && (
        <Text size="sm" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          <UntrustedText text={summary} keepLayout />
        </Text>
      )}
      {links.length > 0 && (
        <List size="sm" mt="sm" aria-label="Links">
          {links.map(({ title, url }) => (
            <List.Item key={`${url} ${title}`} style={{ overflowWrap: 'anywhere' }}>
              <Anchor href={url} target="_blank" rel="noreferrer noopener" inherit>
                <UntrustedText text={title} />
              </Anchor>
            </List.Item>
          ))}
        </List>
      )}
      {artifacts.length > 0 && (
        <List size="sm" mt="sm" aria-label="Artifacts">
          {artifacts.map(({ name, path }) => (
            <List.Item key={`${path} ${name}`} style={{ overflowWrap: 'anywhere' }}>
              <UntrustedText text={name} />{' '}
              <Text component="span" size="xs" c="dimmed" ff="monospace">
                <UntrustedText text={path} />
              </Text>
            </List.Item>
          ))}
        </List>
      )}
    </Card>
  );
}
