import { Anchor, Text } from '@mantine/core';
import type { Commit } from '../../../client/api-types.ts';
import { TimeText } from '../time/time-text.tsx';
import { UntrustedText } from './untrusted-text.tsx';

/** Who made a revision and why, with a link to the git host if it is known. */
export function CommitText({ commit: { subject, author, committed_at, url } }: { commit: Commit }) {
  return (
    <Text component="span" size="sm" style={{ overflowWrap: 'anywhere' }}>
      <CommitSubject subject={subject} url={url} />{' '}
      <Text component="span" size="xs" c="dimmed">
        by <UntrustedText text={author} />, <TimeText at={committed_at} isFocusable={false} />
      </Text>
    </Text>
  );
}

function CommitSubject({ subject, url }: Pick<Commit, 'subject' | 'url'>) {
  const text = <UntrustedText text={subject === '' ? 'No commit message' : subject} />;
  if (url === null) return <b>{text}</b>;
  return (
    <Anchor href={url} target="_blank" rel="noreferrer" fw={600}>
      {text}
    </Anchor>
  );
}
