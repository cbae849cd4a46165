import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Webhook } from '../../../client/api-types.ts';
import { readAnswer } from '../../../client/read-answer.ts';
import { countOf } from '../../../domain/words/quantities.ts';
import { api } from '../../api/client.ts';
import { webhookQuery } from '../../api/queries.ts';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { SectionCard } from '../../parts/layout/section-card.tsx';
import { TimeUntil } from '../../parts/time/time-text.tsx';
import { useMay } from '../../shell/context/session-user.ts';

const FOR_SECONDS = 600;
const PATH = '/api/v1/factories/{factory}/webhooks/{uid}/capture';

/** Opens and closes a capture window for rejected requests, for diagnosis. Owners only. */
export function CaptureWindow({ webhook }: { webhook: Webhook }) {
  const queryClient = useQueryClient();
  const params = { path: { factory: webhook.factory, uid: webhook.uid } };
  const { queryKey } = webhookQuery(webhook.factory, webhook.uid);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (isOpening: boolean) =>
      isOpening
        ? readAnswer<unknown>(api.POST(PATH, { params, body: { for_seconds: FOR_SECONDS } }))
        : readAnswer<unknown>(api.DELETE(PATH, { params })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey }),
  });
  const may = useMay('owner');
  if (!may || webhook.deleted_at !== null || !webhook.enabled) return null;
  const { capture } = webhook;
  return (
    <SectionCard
      title="Capture window"
      actions={
        <Button variant="default" size="xs" loading={isPending} onClick={() => mutate(capture === null)}>
          {capture === null ? 'Capture for 10 minutes' : 'Close and delete captured requests'}
        </Button>
      }
    >
      <Text size="sm" c="dimmed">
        Rejected requests are not stored. While a capture window is open, the daemon keeps them in memory to diagnose
        wrong signatures.
      </Text>
      {capture !== null && (
        <Group mt="xs" gap={6}>
          <Text size="sm" component="div">
            Open; {countOf(capture.kept, 'request')} captured. Closes automatically <TimeUntil at={capture.until} />.
          </Text>
        </Group>
      )}
      {error !== null && <ErrorPanel error={error} />}
    </SectionCard>
  );
}
