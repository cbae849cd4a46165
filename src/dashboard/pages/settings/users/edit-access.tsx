import { Button, Group, Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import type { User } from '../../../../client/api-types.ts';
import { escapeText } from '../../../../domain/words/escape-text.ts';
import { type Access, changeUser } from '../../../api/users.ts';
import { Dialog } from '../../../parts/dialog/dialog.tsx';
import { EffectList } from '../../../parts/dialog/effect-list.tsx';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { useSessionUser } from '../../../shell/context/session-user.ts';
import { AccessFields } from '../access-fields.tsx';
import { isTeamOwner } from './last-owner.ts';
import { useUserChange } from './use-user-change.ts';
import type { UserDialogProps } from './user-dialog-props.ts';

/** Changes the role and factories of a user. Users who remove their own owner role have to type their name. */
export function EditAccess({ user, onClose }: UserDialogProps) {
  const { id, name } = user;
  const [access, setAccess] = useState<Access>({ role: user.role, factories: user.factories });
  const [typed, setTyped] = useState('');
  const isSelf = useSessionUser().id === id;
  const locksOut = isSelf && !isTeamOwner({ ...user, ...access });
  const { mutate, isPending, error } = useUserChange(
    id,
    (change: Access) => changeUser(id, change),
    () => {
      notifications.show({ message: `${escapeText(name)} now has the role ${describeAccess(access)}.` });
      onClose();
    },
  );
  const isBlocked = !isChanged(user, access) || (locksOut && typed !== name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isBlocked) mutate(access);
  };
  return (
    <Dialog onClose={onClose} title={`Role and factories of ${escapeText(name)}`} size="lg">
      <form onSubmit={submit}>
        <Stack>
          <AccessFields what="user" access={access} onChange={setAccess} />
          <EffectList effects={describeEffects(escapeText(name), isSelf, locksOut)} />
          {locksOut && (
            <TextInput
              label={`Type ${escapeText(name)} to confirm`}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
            />
          )}
          {error !== null && <ErrorPanel error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color={locksOut ? 'red.8' : undefined} loading={isPending} disabled={isBlocked}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function isChanged(user: User, { role, factories }: Access): boolean {
  return role !== user.role || JSON.stringify(factories) !== JSON.stringify(user.factories);
}

function describeAccess({ role, factories }: Access): string {
  return factories === null ? `${role} for all factories` : `${role} for ${factories.join(', ')}`;
}

function describeEffects(name: string, isSelf: boolean, locksOut: boolean): string[] {
  if (locksOut) {
    return [
      'This is your own account. After saving, you can no longer manage users, tokens and secrets.',
      'Only another owner can restore your access.',
    ];
  }
  const who = isSelf ? 'You stay' : `${name} stays`;
  return [`Takes effect with the next request. ${who} signed in.`];
}
