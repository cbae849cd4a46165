import { Button, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { Story } from '../../../client/api-types.ts';
import { storyQuery } from '../../api/story.ts';
import { CopyLine } from '../copy/copy-line.tsx';
import { ErrorPanel } from '../layout/error-panel.tsx';
import type { ReceivedEvent } from '../live/follow-events.ts';
import { RENDER_PAUSES, useCoalesced } from '../live/use-coalesced.ts';
import { useLiveEvents } from '../live/use-live-events.ts';
import { UntrustedText } from '../text/untrusted-text.tsx';
import { StoryTimeline } from './story-timeline.tsx';

interface StoryPanelProps {
  /** `null` for a secret, which belongs to the team. */
  factory: string | null;
  /** An ID, or an exact form such as `automation:NAME`. */
  reference: string;
  /** IDs of objects whose events change the story, in addition to those that it names. */
  watched?: readonly string[];
}

/** Why an object is in its state: the deciding fact, what happened in order, and what to do next. Follows events. */
export function StoryPanel({ factory, reference, watched = [] }: StoryPanelProps) {
  const [isWhole, setWhole] = useState(false);
  const { data: story, error, refetch, isPlaceholderData } = useStory(factory, reference, { watched, isWhole });
  const id = useId();
  return (
    <Paper component="section" aria-labelledby={id} withBorder radius="lg" p="lg">
      <Title id={id} order={2} size="h5" mb="sm">
        What happened
      </Title>
      {error !== null ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : story === undefined ? (
        <Skeleton height={160} />
      ) : (
        <Stack>
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            <UntrustedText text={story.answer} />
          </Text>
          <StoryTimeline
            subject={story.subject}
            steps={story.steps}
            isExpanding={isPlaceholderData}
            onExpand={() => setWhole(true)}
          />
          {isWhole && (
            <Button variant="default" size="compact-sm" w="fit-content" onClick={() => setWhole(false)}>
              Show less
            </Button>
          )}
          <NextCommands next={story.next} />
        </Stack>
      )}
    </Paper>
  );
}

/** Polling covers changes while the event stream is interrupted. */
const POLL_MS = 5_000;

interface StoryView {
  watched: readonly string[];
  /** Everything that the story otherwise sums up. */
  isWhole: boolean;
}

function useStory(factory: string | null, reference: string, { watched, isWhole }: StoryView) {
  const queryClient = useQueryClient();
  const query = storyQuery(factory, reference, isWhole);
  const result = useQuery({
    ...query,
    placeholderData: (previous) => (previous !== undefined && isWhole ? previous : undefined),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isRunning(data) ? POLL_MS : false),
  });
  const reload = useCoalesced(
    () => void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true }),
    RENDER_PAUSES,
  );
  const ids = new Set([...watched, ...(result.data === undefined ? [] : listIds(result.data))]);
  useLiveEvents((event) => {
    if (event.data.factory !== factory) return;
    const isApply = event.type === 'reconciliation' && result.data !== undefined && isDefined(result.data);
    if (isApply || listIdsOf(event).some((id) => ids.has(id))) reload();
  });
  return result;
}

/** Whether every apply can change the story. */
function isDefined({ subject: { kind } }: Story): boolean {
  return ['webhook', 'automation', 'commit', 'reconciliation'].includes(kind);
}

function isRunning({ subject, steps }: Story): boolean {
  return ['delivery', 'run'].includes(subject.kind) && steps.some(({ outcome }) => outcome === 'now');
}

/** The objects of a story. The webhook of a delivery is not one of them: each of its deliveries has an event. */
function listIds({ subject, steps }: Story): string[] {
  const links = steps.flatMap((step) => step.links.filter(({ kind }) => kind === 'delivery' || kind === 'run'));
  return [subject.id, ...links.map(({ id }) => id)];
}

function listIdsOf({ type, data }: ReceivedEvent): string[] {
  if (type === 'run') return [data.id, data.delivery, data.automation, data.revision ?? ''];
  if (type === 'pull_requests') return [];
  if (type === 'reconciliation') return [data.id, data.revision ?? ''];
  return [data.id, data.webhook_uid, data.replay_of ?? '', data.duplicate_of ?? ''];
}

function NextCommands({ next }: Pick<Story, 'next'>) {
  if (next.length === 0) return null;
  return (
    <Stack gap="xs">
      {next.map(({ purpose, command }) => (
        <Group key={command} gap="xs" align="center">
          <Text size="sm" flex="0 0 auto" maw="100%">
            {purpose}:
          </Text>
          <div style={{ flex: '1 1 20rem', minWidth: 0 }}>
            <CopyLine value={command} what={`command: ${purpose}`} />
          </div>
        </Group>
      ))}
    </Stack>
  );
}
