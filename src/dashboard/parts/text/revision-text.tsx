import { Code, Text, Tooltip } from '@mantine/core';
import { ForeignText } from './foreign-text.tsx';

/** A commit of git, and how much of it git shows itself. A `live` factory counts its revisions, which are shown whole. */
const COMMIT = /^([0-9a-f]{8})[0-9a-f]{32,}$/;

/** A revision, shortened where it is a commit, with the whole of it on hover and on focus. */
export function RevisionText({ revision }: { revision: string | null }) {
  if (revision === null) {
    return (
      <Text component="span" size="sm" c="dimmed">
        none
      </Text>
    );
  }
  return (
    <Tooltip label={revision} events={{ hover: true, focus: true, touch: true }}>
      <Code>
        <ForeignText text={COMMIT.exec(revision)?.[1] ?? revision} />
      </Code>
    </Tooltip>
  );
}
