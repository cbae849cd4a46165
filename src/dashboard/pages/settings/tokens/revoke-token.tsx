import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { escapeText } from '../../../../words/escape-text.ts';
import { revokeToken, tokensQuery } from '../../../api/tokens.ts';
import type { Token } from '../../../api/types.ts';
import { ConfirmChange } from '../../../parts/dialog/confirm-change.tsx';

export function RevokeToken({ token: { id, name }, onClose }: { token: Token; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => revokeToken(id),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey });
      notifications.show({ message: `The token ${escapeText(name)} is revoked.` });
      onClose();
    },
  });
  return (
    <ConfirmChange
      opened
      onClose={onClose}
      title={`Revoke ${escapeText(name)}`}
      effects={[
        'Whatever sends this token is refused from its next request on.',
        'Sessions of browsers that were opened with it end.',
        'It cannot be brought back; make a new one in its place.',
      ]}
      action="Revoke token"
      isDangerous
      onConfirm={() => mutate()}
      isPending={isPending}
      error={error}
    />
  );
}
