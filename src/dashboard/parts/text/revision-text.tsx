import { Code, Text, Tooltip } from '@mantine/core';
import { UntrustedText } from './untrusted-text.tsx';

/** A git commit, shortened to 8 characters as git does. Revisions of a `live` factory are numbers, which are shown in full. */
const COMMIT = /^([0-9a-f]{8})[0-9a-f]{32,}$/;

/** A revision, shortened if it is a commit, with the full text on hover and focus. */
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
        <UntrustedText text={COMMIT.exec(revision)?.[1] ?? revision} />
      </Code>
    </Tooltip>
  );
}
