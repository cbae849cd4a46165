import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleAlert, Radio, Stethoscope } from 'lucide-react';
import { useState } from 'react';
import type { Delivery, Diagnosis } from '../../../client/api-types.ts';
import { countOf } from '../../../domain/words/quantities.ts';
import { diagnoseDelivery, openCapture } from '../../api/deliveries.ts';
import { webhookQuery } from '../../api/queries.ts';
import { ConfirmChange } from '../../parts/dialog/confirm-change.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeUntil } from '../../parts/time/time-text.tsx';
import { useMay } from '../../shell/context/session-user.ts';

/** Why a request was rejected, and how to find out more. */
export function DeliveryRejection({ delivery }: { delivery: Delivery }) {
  const { label, reason_text, detail } = delivery;
  return (
    <Stack gap="sm" align="flex-start">
      <Alert color="orange" variant="light" icon={<CircleAlert />} title={label ?? 'Rate limited'} w="100%">
        <Text size="sm">
          <UntrustedText text={reason_text ?? 'No reason was logged.'} />
        </Text>
        {detail !== null && (
          <Text size="sm" c="dimmed" mt={4} style={{ overflowWrap: 'anywhere' }}>
            <UntrustedText text={detail} />
          </Text>
        )}
      </Alert>
      <Text size="sm" c="dimmed">
        Bodies and credentials of rejected requests are not stored.{' '}
        {label !== null && 'The response does not tell the sender the reason.'}
      </Text>
      {label === 'Rejected (auth)' && <FindCause delivery={delivery} />}
    </Stack>
  );
}

function FindCause({ delivery }: { delivery: Delivery }) {
  const mayDiagnose = useMay('operator');
  const mayCapture = useMay('owner');
  const diagnosis = useMutation({ mutationFn: () => diagnoseDelivery(delivery.id) });
  if (!mayDiagnose) return null;
  return (
    <>
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={<Stethoscope size={16} aria-hidden />}
          loading={diagnosis.isPending}
          onClick={() => diagnosis.mutate()}
        >
          Find the cause
        </Button>
        {mayCapture && <CaptureButton delivery={delivery} />}
      </Group>
      <OpenCapture delivery={delivery} />
      {diagnosis.data !== undefined && <Finding diagnosis={diagnosis.data} mayCapture={mayCapture} />}
      {diagnosis.error !== null && <ErrorPanel error={diagnosis.error} />}
    </>
  );
}

/** Shows an open capture window, also after a reload. */
function OpenCapture({ delivery: { factory, webhook_uid } }: { delivery: Delivery }) {
  const { data } = useQuery(webhookQuery(factory, webhook_uid));
  const capture = data?.webhook.capture ?? null;
  if (capture === null) return null;
  return (
    <Alert role="status" color="blue" variant="light" icon={<Radio />} title="Capturing rejected requests" w="100%">
      <Text size="sm" component="div">
        {countOf(capture.kept, 'request')} captured. The capture window of this webhook closes{' '}
        <TimeUntil at={capture.until} />. Ask the sender to retry, then select “Find the cause” for the new delivery.
      </Text>
    </Alert>
  );
}

/** Without a captured request, some rejections can have several causes. */
function NeedsCapture({ mayCapture }: { mayCapture: boolean }) {
  return (
    <Alert role="status" variant="light" title="The reason alone does not show the cause" w="100%">
      <Text size="sm">
        {mayCapture
          ? 'Select “Capture rejected requests” above'
          : 'Ask an owner to capture rejected requests of this webhook'}
        , ask the sender to retry, then select “Find the cause” for the new delivery.
      </Text>
    </Alert>
  );
}

function Finding({ diagnosis, mayCapture }: { diagnosis: Diagnosis; mayCapture: boolean }) {
  const { mistake, sentence, tried } = diagnosis;
  if (mistake === null && tried.length === 0) return <NeedsCapture mayCapture={mayCapture} />;
  return (
    <Alert role="status" variant="light" title="Most likely cause" w="100%">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        <UntrustedText text={sentence} />
      </Text>
      {tried.length > 0 && (
        <>
          <Text size="sm" mt="xs">
            Checked without a match:
          </Text>
          <List size="sm">
            {tried.map((attempt) => (
              <List.Item key={attempt}>
                <UntrustedText text={attempt} />
              </List.Item>
            ))}
          </List>
        </>
      )}
    </Alert>
  );
}

const CAPTURE_MINUTES = 10;

const CAPTURE_EFFECTS = [
  `For ${CAPTURE_MINUTES} minutes the 20 most recent requests that this webhook rejects are captured, in memory only.`,
  '“Find the cause” checks a captured request for the usual mistakes.',
  'Nobody can read captured requests. They are deleted when the window closes. Senders see no difference.',
];

function CaptureButton({ delivery: { factory, webhook_uid } }: { delivery: Delivery }) {
  const [isAsking, setIsAsking] = useState(false);
  const queryClient = useQueryClient();
  const capture = useMutation({
    mutationFn: () => openCapture(factory, webhook_uid, CAPTURE_MINUTES * 60),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: webhookQuery(factory, webhook_uid).queryKey });
      setIsAsking(false);
    },
  });
  return (
    <>
      <Button variant="subtle" onClick={() => setIsAsking(true)}>
        Capture rejected requests
      </Button>
      <ConfirmChange
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title="Capture rejected requests"
        effects={CAPTURE_EFFECTS}
        action={`Capture for ${CAPTURE_MINUTES} minutes`}
        onConfirm={() => capture.mutate()}
        isPending={capture.isPending}
        error={capture.error}
      />
    </>
  );
}
