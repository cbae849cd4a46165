import { Card, List, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Run, RunPost } from '../../../client/api-types.ts';
import { describeNoticeState } from '../../../domain/words/notices.ts';
import { isEnded, runPostsQuery } from '../../api/runs.ts';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';

/** Where the results of a run were posted, or why not. */
export function RunPosts({ run }: { run: Run }) {
  const { data } = useQuery({ ...runPostsQuery(run.factory, run), enabled: isEnded(run) });
  if (data === undefined || data.data.length === 0) return null;
  return (
    <Card withBorder component="section" aria-labelledby="run-posts">
      <Title order={2} size="h5" mb="xs" id="run-posts">
        Posts
      </Title>
      <List size="sm">
        {data.data.map((post) => (
          <List.Item key={`${post.attempt} ${post.target} ${post.created_at}`} style={{ overflowWrap: 'anywhere' }}>
            <Post post={post} />
          </List.Item>
        ))}
      </List>
    </Card>
  );
}

function Post({ post: { attempt, target, repository, commit, number, state, problem } }: { post: RunPost }) {
  const place = repository === null ? '' : ` ${repository} ${commit === null ? `#${number}` : commit.slice(0, 12)}`;
  return (
    <>
      <UntrustedText text={`${target}${place}`} />: {attempt > 1 && `attempt ${attempt}, `}
      {describeNoticeState(state)}
      {problem !== null && (
        <Text size="xs" c="dimmed">
          <UntrustedText text={problem} />
        </Text>
      )}
    </>
  );
}
