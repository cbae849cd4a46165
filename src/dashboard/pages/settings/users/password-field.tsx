import { PasswordInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { generatePassword } from './generate-password.ts';

/** A password for another user: generated or entered. */
export interface PasswordDraft {
  origin: 'generated' | 'typed';
  typed: string;
}

export const NEW_PASSWORD: PasswordDraft = { origin: 'generated', typed: '' };

/** The password, and whether it was generated and must be shown. */
export function readPassword({ origin, typed }: PasswordDraft): { password: string; isGenerated: boolean } {
  return origin === 'generated'
    ? { password: generatePassword(), isGenerated: true }
    : { password: typed, isGenerated: false };
}

interface PasswordFieldProps {
  draft: PasswordDraft;
  onChange: (draft: PasswordDraft) => void;
}

export function PasswordField({ draft, onChange }: PasswordFieldProps) {
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label="Source of the password"
        value={draft.origin}
        onChange={(origin) => onChange({ ...draft, origin: origin as PasswordDraft['origin'] })}
        data={[
          { value: 'generated', label: 'Generate a password' },
          { value: 'typed', label: 'Enter a password' },
        ]}
      />
      {draft.origin === 'typed' ? (
        <PasswordInput
          label="Password"
          description="12 to 256 characters, and not the user name."
          value={draft.typed}
          onChange={(event) => onChange({ ...draft, typed: event.currentTarget.value })}
          autoComplete="new-password"
          required
        />
      ) : (
        <Text size="sm" c="dimmed">
          The password is shown once. The user can change it under <em>Your account</em>.
        </Text>
      )}
    </Stack>
  );
}
