import { PasswordInput, SegmentedControl, Stack, Text } from '@mantine/core';

/** Where the value of a secret comes from. */
export type SecretOrigin = 'typed' | 'generated';

interface SecretValueFieldProps {
  origin: SecretOrigin;
  onOriginChange: (origin: SecretOrigin) => void;
  value: string;
  onValueChange: (value: string) => void;
}

/** Lets the user enter a secret value or generate one. */
export function SecretValueField({ origin, onOriginChange, value, onValueChange }: SecretValueFieldProps) {
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label="Source of the value"
        value={origin}
        onChange={(chosen) => onOriginChange(chosen as SecretOrigin)}
        data={[
          { value: 'typed', label: 'Enter a value' },
          { value: 'generated', label: 'Generate a value' },
        ]}
      />
      {origin === 'typed' ? (
        <PasswordInput
          label="Value"
          description="The secret that the provider shows, or that the sender already uses."
          value={value}
          onChange={(event) => onValueChange(event.currentTarget.value)}
          autoComplete="off"
          required
        />
      ) : (
        <Text size="sm" c="dimmed">
          A random 256-bit value that works with every authentication mode. It is shown once. Give it to the sender.
        </Text>
      )}
    </Stack>
  );
}

const SECRET_BYTES = 32;

/** Same format as the secrets that the daemon generates. */
export function generateSecretValue(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  const base64 = btoa(String.fromCharCode(...bytes));
  return `dbs_${base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}
