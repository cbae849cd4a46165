import { PasswordInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { generatePassword } from './generate-password.ts';

/** A password for somebody else: made here, or typed. */
export interface PasswordDraft {
  origin: 'generated' | 'typed';
  typed: string;
}

export const NEW_PASSWORD: PasswordDraft = { origin: 'generated', typed: '' };

/** The password that was chosen, and whether it has to be shown because nobody knows it yet. */
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
        aria-label="Where the password comes from"
        value={draft.origin}
        onChange={(origin) => onChange({ ...draft, origin: origin as PasswordDraft['origin'] })}
        data={[
          { value: 'generated', label: 'Generate a password' },
          { value: 'typed', label: 'Enter one' },
        ]}
      />
      {draft.origin === 'typed' ? (
        <PasswordInput
          label="Password"
          description="12 to 256 characters, and not the name."
          value={draft.typed}
          onChange={(event) => onChange({ ...draft, typed: event.currentTarget.value })}
          autoComplete="new-password"
          required
        />
      ) : (
        <Text size="sm" c="dimmed">
          You see it once, to hand it over. Its new owner changes it under <em>Your account</em>.
        </Text>
      )}
    </Stack>
  );
}
