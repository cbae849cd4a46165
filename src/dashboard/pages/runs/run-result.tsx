import { Alert, Anchor, Card, List, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Run } from '../../../client/api-types.ts';
import { formatSize } from '../../../domain/words/quantities.ts';
import { artifactHref, runArtifactsQuery } from '../../api/runs.ts';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';

/** What a run says about its work in `result.json`. */
export function RunResult({ run }: { run: Run }) {
  const { result } = run;
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
      {artifacts.length > 0 && <Artifacts run={run} />}
    </Card>
  );
}

/** Files that are stored can be downloaded. A browser never shows them, because the run chose their content. */
function Artifacts({ run }: { run: Run }) {
  const { data } = useQuery(runArtifactsQuery(run.factory, run));
  if (data === undefined) return null;
  return (
    <List size="sm" mt="sm" aria-label="Artifacts">
      {data.data.map(({ number, name, path, size }) => (
        <List.Item key={number} style={{ overflowWrap: 'anywhere' }}>
          {size === null ? (
            <UntrustedText text={name} />
          ) : (
            <Anchor href={artifactHref(run, number)} download inherit>
              <UntrustedText text={name} />
            </Anchor>
          )}{' '}
          <Text component="span" size="xs" c="dimmed" ff="monospace">
            <UntrustedText text={path} />
          </Text>{' '}
          <Text component="span" size="xs" c="dimmed">
            {size === null ? 'not stored' : formatSize(size)}
          </Text>
        </List.Item>
      ))}
    </List>
  );
}
