import { ActionIcon, Button, CopyButton as CopyOnClick, Tooltip, VisuallyHidden } from '@mantine/core';
import { Check, Copy } from 'lucide-react';

interface CopyButtonProps {
  value: string;
  /** What is copied, for example "ingress URL". */
  what: string;
  /** Shows the label next to the icon. */
  withLabel?: boolean;
}

export function CopyButton({ value, what, withLabel = false }: CopyButtonProps) {
  return (
    <CopyOnClick value={value} timeout={2000}>
      {({ copied, copy }) => {
        const icon = copied ? <Check size={16} /> : <Copy size={16} />;
        const label = copied ? 'Copied' : `Copy ${what}`;
        return (
          <>
            {withLabel ? (
              <Button variant="default" size="xs" leftSection={icon} onClick={copy}>
                {label}
              </Button>
            ) : (
              <Tooltip label={label}>
                <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={`Copy ${what}`}>
                  {icon}
                </ActionIcon>
              </Tooltip>
            )}
            <VisuallyHidden role="status">{copied ? `Copied ${what}.` : ''}</VisuallyHidden>
          </>
        );
      }}
    </CopyOnClick>
  );
}
