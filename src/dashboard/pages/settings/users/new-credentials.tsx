import { Button, Group, Stack, Text } from '@mantine/core';
import { escapeText } from '../../../../words/escape-text.ts';
import { CopyLine } from '../../../parts/copy/copy-line.tsx';
import { OneTimeValue } from '../../../parts/copy/one-time-value.tsx';

interface NewCredentialsProps {
  name: string;
  /** What was done, one sentence. */
  done: string;
  /** The generated password; `null` where somebody typed it and so knows it. */
  password: string | null;
  onClose: () => void;
}

/** A password on the only occasion that it is shown, and where it is used. */
export function NewCredentials({ name, done, password, onClose }: NewCredentialsProps) {
  return (
    <Stack>
      <Text size="sm" role="status">
        {done}
      </Text>
      {password !== null && (
        <OneTimeValue
          what="password"
          value={password}
          advice={`Hand it to ${escapeText(name)} in a way that nobody else can read.`}
        />
      )}
      <div>
        <Text size="sm" c="dimmed">
          {escapeText(name)} signs in at
        </Text>
        <CopyLine value={window.location.origin} what="address" />
      </div>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
