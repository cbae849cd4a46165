import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ApiToken } from '../../../../client/api-types.ts';
import { escapeText } from '../../../../domain/words/escape-text.ts';
import { revokeToken, tokensQuery } from '../../../api/tokens.ts';
import { ConfirmChange } from '../../../parts/dialog/confirm-change.tsx';

export function RevokeToken({ token: { id, name }, onClose }: { token: ApiToken; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => revokeToken(id),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey });
      notifications.show({ message: `Token ${escapeText(name)} revoked.` });
      onClose();
    },
  });
  return (
    <ConfirmChange
      opened
      onClose={onClose}
      title={`Revoke ${escapeText(name)}`}
      effects={[
        'Requests with this token are rejected immediately.',
        'Browser sessions that were started with it are signed out.',
        'A revoked token cannot be restored. Create a new token instead.',
      ]}
      action="Revoke token"
      isDangerous
      onConfirm={() => mutate()}
      isPending={isPending}
      error={error}
    />
  );
}
