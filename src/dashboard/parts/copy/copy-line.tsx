import { Group } from '@mantine/core';
import { UntrustedText } from '../text/untrusted-text.tsx';
import { CopyButton } from './copy-button.tsx';
import classes from './copy-line.module.css';

/** One value in monospace with a copy button. */
export function CopyLine({ value, what }: { value: string; what: string }) {
  return (
    <Group gap={4} wrap="nowrap" className={classes.line}>
      <code className={classes.value}>
        <UntrustedText text={value} />
      </code>
      <CopyButton value={value} what={what} />
    </Group>
  );
}
