import { TextInput } from '@mantine/core';

interface TimeFieldProps {
  label: string;
  /** RFC 3339; `null` for none. */
  value: string | null;
  onChange: (value: string | null) => void;
}

/** An instant, entered in the reader's zone. */
export function TimeField({ label, value, onChange }: TimeFieldProps) {
  return (
    <TextInput
      label={label}
      type="datetime-local"
      value={value === null ? '' : toLocal(value)}
      onChange={(event) => onChange(fromLocal(event.currentTarget.value))}
    />
  );
}

/** The browser reads a time without a zone as one of its own. */
function fromLocal(text: string): string | null {
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : new Date(atMs).toISOString();
}

function toLocal(at: string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
