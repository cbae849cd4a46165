import { PasswordInput, SegmentedControl, Stack, Text } from '@mantine/core';

/** Where the value of a secret comes from. */
export type SecretOrigin = 'typed' | 'generated';

interface SecretValueFieldProps {
  origin: SecretOrigin;
  onOriginChange: (origin: SecretOrigin) => void;
  value: string;
  onValueChange: (value: string) => void;
}

/** A value typed where nobody reads along, or one that is made here. */
export function SecretValueField({ origin, onOriginChange, value, onValueChange }: SecretValueFieldProps) {
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label="Where the value comes from"
        value={origin}
        onChange={(chosen) => onOriginChange(chosen as SecretOrigin)}
        data={[
          { value: 'typed', label: 'Enter the value' },
          { value: 'generated', label: 'Generate one' },
        ]}
      />
      {origin === 'typed' ? (
        <PasswordInput
          label="Value"
          description="What the provider shows you, or what the sender already uses."
          value={value}
          onChange={(event) => onValueChange(event.currentTarget.value)}
          autoComplete="off"
          required
        />
      ) : (
        <Text size="sm" c="dimmed">
          256 random bits, in letters that every mode of authentication takes. You see the value once, to give it to the
          sender.
        </Text>
      )}
    </Stack>
  );
}

const SECRET_BYTES = 32;

/** In the form of those that the daemon generates. */
export function generateSecretValue(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  const base64 = btoa(String.fromCharCode(...bytes));
  return `dbs_${base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}
