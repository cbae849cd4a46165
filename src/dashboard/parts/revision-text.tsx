import { Code, Text, Tooltip } from '@mantine/core';
import { ForeignText } from './foreign-text.tsx';

const SHORT_CHARACTERS = 8;

/** A commit, shortened as git does, with the whole of it on hover and on focus. */
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
        <ForeignText text={revision.slice(0, SHORT_CHARACTERS)} />
      </Code>
    </Tooltip>
  );
}
