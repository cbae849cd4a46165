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

/** While somebody types, years like 0002 come by. */
const EARLIEST = '2000-01-01T00:00:00';
const PAUSE_MS = 800;

/** An instant to the second, entered in the reader's zone. */
export function InstantField({ label, value, onChange, error }: InstantFieldProps) {
  const counted = value === null ? '' : formatLocalInstant(value);
  const [text, setText] = useDraft(counted);
  const take = (field: HTMLInputElement) => {
    if (field.validity.valid && field.value !== counted) onChange(parseLocalInstant(field.value));
  };
  const takeSoon = useDebouncedCallback(take, PAUSE_MS);
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
        takeSoon(currentTarget);
      }}
      onBlur={({ currentTarget }) => take(currentTarget)}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && take(currentTarget)}
    />
  );
}
