import { Alert, Stack, Text } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import { useOneTimeGuard } from '../dialog/dialog.tsx';
import { CodeBlock } from './code-block.tsx';

interface OneTimeValueProps {
  /** What it is, for example "API token". */
  what: string;
  value: string;
  /** What to do with it. */
  advice: string;
}

/** Shows a credential that is never shown again. */
export function OneTimeValue({ what, value, advice }: OneTimeValueProps) {
  useOneTimeGuard();
  return (
    <Alert color="orange" variant="light" icon={<KeyRound />} title={`Copy the ${what} now`}>
      <Stack gap="xs">
        <Text size="sm">It is shown only once and cannot be read again. {advice}</Text>
        <CodeBlock code={value} what={what} wraps />
      </Stack>
    </Alert>
  );
}
