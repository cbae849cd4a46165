import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useDraft } from '../form/use-draft.ts';
import { formatLocalInstant, parseLocalInstant } from './local-instant.ts';

interface InstantFieldProps {
  label: string;
  value: string | null;
  onChange: (at: string | null) => void;
  error?: string;
}

/** Excludes years such as 0002, which occur while the user types. */
const EARLIEST = '2000-01-01T00:00:00';
const PAUSE_MS = 800;

/** A field for date and time to the second, in the local time zone. */
export function InstantField({ label, value, onChange, error }: InstantFieldProps) {
  const applied = value === null ? '' : formatLocalInstant(value);
  const [text, setText] = useDraft(applied);
  const apply = (field: HTMLInputElement) => {
    if (field.validity.valid && field.value !== applied) onChange(parseLocalInstant(field.value));
  };
  const applySoon = useDebouncedCallback(apply, PAUSE_MS);
  return (
    <TextInput
      type="datetime-local"
      step={1}
      min={EARLIEST}
      label={label}
      value={text}
      error={error}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        applySoon(currentTarget);
      }}
      onBlur={({ currentTarget }) => apply(currentTarget)}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && apply(currentTarget)}
    />
  );
}
