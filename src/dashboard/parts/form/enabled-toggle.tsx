import { Switch } from '@mantine/core';

interface EnabledToggleProps {
  enabled: boolean;
  /** Asks, and then does it: the toggle itself shows what is, not what is wished. */
  onToggle: () => void;
}

/** Turns a webhook or an automation on or off. */
export function EnabledToggle({ enabled, onToggle }: EnabledToggleProps) {
  return <Switch label="Enabled" labelPosition="left" checked={enabled} onChange={onToggle} />;
}
