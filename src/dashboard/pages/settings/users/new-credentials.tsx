import { Button, Group, Stack, Text } from '@mantine/core';
import { escapeText } from '../../../../domain/words/escape-text.ts';
import { CopyLine } from '../../../parts/copy/copy-line.tsx';
import { OneTimeValue } from '../../../parts/copy/one-time-value.tsx';

interface NewCredentialsProps {
  name: string;
  /** What was done, in one sentence. */
  done: string;
  /** The generated password; `null` if it was entered. */
  password: string | null;
  onClose: () => void;
}

/** Shows a generated password once, and where to sign in. */
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
          advice={`Send it to ${escapeText(name)} over a secure channel.`}
        />
      )}
      <div>
        <Text size="sm" c="dimmed">
          {escapeText(name)} can sign in at
        </Text>
        <CopyLine value={window.location.origin} what="URL" />
      </div>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
