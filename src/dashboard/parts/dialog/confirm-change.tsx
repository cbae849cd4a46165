import { Button, Group, getDefaultZIndex, Modal, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ErrorPanel } from '../layout/error-panel.tsx';
import { EffectList } from './effect-list.tsx';
import { useFocusReturn } from './use-focus-return.ts';

interface ConfirmChangeProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** Effects on senders and runs, one sentence each. */
  effects: string[];
  /** Label of the button, for example "Delete webhook". */
  action: string;
  /** The change cannot be undone, or affects senders. */
  isDangerous?: boolean;
  /** Text that the user must type to enable the button. */
  typeToConfirm?: string;
  onConfirm: () => void;
  isPending: boolean;
  /** Disables the button, for example until the effects are known. */
  isBlocked?: boolean;
  /** Of the last attempt; `null` if none failed. Hidden when the dialog opens again. */
  error: unknown;
  /** Shown above another open dialog. */
  isOnTop?: boolean;
  /** Additional fields. */
  children?: ReactNode;
}

/** Asks for confirmation and lists the effects of a change. */
export function ConfirmChange(props: ConfirmChangeProps) {
  const { opened, onClose, title, effects, action, isDangerous = false, isOnTop = false, typeToConfirm } = props;
  const [typed, setTyped] = useState('');
  const [isTried, setTried] = useState(false);
  useFocusReturn(opened);
  const isBlocked = props.isBlocked === true || (typeToConfirm !== undefined && typed !== typeToConfirm);
  const confirm = (event: { preventDefault: () => void }) => {
    event.preventDefault();
    if (isBlocked) return;
    setTried(true);
    props.onConfirm();
  };
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => {
        setTyped('');
        setTried(false);
      }}
      title={title}
      centered
      zIndex={isOnTop ? getDefaultZIndex('popover') : undefined}
    >
      <form onSubmit={confirm}>
        <Stack>
          <EffectList effects={effects} />
          {props.children}
          {typeToConfirm !== undefined && (
            <TextInput
              label={`Type ${typeToConfirm} to confirm`}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
            />
          )}
          {isTried && props.error !== null && <ErrorPanel error={props.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              color={isDangerous ? 'red.8' : undefined}
              loading={props.isPending}
              disabled={isBlocked}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
