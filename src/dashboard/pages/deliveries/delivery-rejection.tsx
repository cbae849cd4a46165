import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { CircleAlert, Stethoscope } from 'lucide-react';
import { useState } from 'react';
import { diagnoseDelivery, openCapture } from '../../api/deliveries.ts';
import type { Delivery, Diagnosis } from '../../api/types.ts';
import { ConfirmChange } from '../../parts/confirm-change.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { ForeignText } from '../../parts/foreign-text.tsx';
import { useMay } from '../../shell/session-user.ts';
import { describeReason } from './reason-words.ts';

/** Why a request was turned away, and how to find out more. */
export function DeliveryRejection({ delivery }: { delivery: Delivery }) {
  const { label, reason, detail } = delivery;
  return (
    <Stack gap="sm" align="flex-start">
      <Alert color="orange" variant="light" icon={<CircleAlert />} title={label} w="100%">
        <Text size="sm">
          <ForeignText text={describeReason(reason)} />
        </Text>
        {detail !== null && (
          <Text size="sm" c="dimmed" mt={4} style={{ overflowWrap: 'anywhere' }}>
            <ForeignText text={detail} />
          </Text>
        )}
      </Alert>
      <Text size="sm" c="dimmed">
        Of what is turned away neither body nor credential is kept. The sender got no reason either.
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
      {diagnosis.data !== undefined && <Finding diagnosis={diagnosis.data} />}
      {diagnosis.error !== null && <ErrorPanel error={diagnosis.error} />}
    </>
  );
}

function Finding({ diagnosis: { sentence, tried } }: { diagnosis: Diagnosis }) {
  return (
    <Alert role="status" variant="light" title="Most likely" w="100%">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        <ForeignText text={sentence} />
      </Text>
      {tried.length > 0 && (
        <>
          <Text size="sm" mt="xs">
            Tried in vain:
          </Text>
          <List size="sm">
            {tried.map((attempt) => (
              <List.Item key={attempt}>
                <ForeignText text={attempt} />
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
  `For ${CAPTURE_MINUTES} minutes the newest 20 requests that this webhook turns away are kept, in memory only.`,
  'With such a request at hand, “Find the cause” tries the usual mistakes on it instead of judging by the reason alone.',
  'Nobody can read them, by this page or otherwise, and they are gone with the window. Senders notice nothing.',
];

function CaptureButton({ delivery: { factory, webhook_uid } }: { delivery: Delivery }) {
  const [isAsking, setIsAsking] = useState(false);
  const capture = useMutation({
    mutationFn: () => openCapture(factory, webhook_uid, CAPTURE_MINUTES * 60),
    onSuccess: () => {
      setIsAsking(false);
      notifications.show({
        title: 'Keeping what is turned away',
        message: `Have the sender try again within ${CAPTURE_MINUTES} minutes, then find the cause of the new row.`,
      });
    },
  });
  return (
    <>
      <Button variant="subtle" onClick={() => setIsAsking(true)}>
        Keep the next ones for a diagnosis
      </Button>
      <ConfirmChange
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title="Keep rejected requests for a while"
        effects={CAPTURE_EFFECTS}
        action={`Keep them for ${CAPTURE_MINUTES} minutes`}
        onConfirm={() => capture.mutate()}
        isPending={capture.isPending}
        error={capture.error}
      />
    </>
  );
}
