import { Switch } from '@mantine/core';

interface EnabledToggleProps {
  enabled: boolean;
  /** Asks for confirmation. The switch shows the current state until the change is done. */
  onToggle: () => void;
}

/** Enables or disables a webhook or an automation. */
export function EnabledToggle({ enabled, onToggle }: EnabledToggleProps) {
  return <Switch label="Enabled" labelPosition="left" checked={enabled} onChange={onToggle} />;
}
