import { Anchor, Button, Group, List, NumberInput, SegmentedControl, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { WholePreview } from '../../../client/preview-replay.ts';
import { describePreview, describeUnexamined } from '../../../domain/words/deliveries.ts';
import type { DeliveryFilter } from '../../api/deliveries.ts';
import { isReplayable, previewQuery, startReplay, toSelection } from '../../api/replays.ts';
import { Dialog } from '../../parts/dialog/dialog.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { factoryPath, objectPath } from '../../paths.ts';
import { useMay } from '../../shell/context/session-user.ts';

const DEFAULT_RATE = 10;
const MAX_RATE = 1_000;

interface ReplayMatchingProps {
  factory: string;
  filter: DeliveryFilter;
}

/** Replays all deliveries of a filter, after a dry run. */
export function ReplayMatching({ factory, filter }: ReplayMatchingProps) {
  const [isAsking, setIsAsking] = useState(false);
  const mayReplay = useMay('operator') && isReplayable(filter);
  return (
    <>
      <Button component={Link} variant="subtle" href={factoryPath(factory, 'replays')}>
        Replays
      </Button>
      {mayReplay && (
        <Button variant="default" leftSection={<RotateCcw size={16} aria-hidden />} onClick={() => setIsAsking(true)}>
          Replay all that match
        </Button>
      )}
      {mayReplay && isAsking && (
        <Dialog title="Replay all matching deliveries" size="lg" onClose={() => setIsAsking(false)}>
          <ReplayForm factory={factory} filter={filter} onClose={() => setIsAsking(false)} />
        </Dialog>
      )}
    </>
  );
}

function ReplayForm({ factory, filter, onClose }: ReplayMatchingProps & { onClose: () => void }) {
  // Fixed when the dialog opens, so that the replay is about the deliveries of the dry run.
  const [filters] = useState(() => toSelection(filter));
  const [asOf, setAsOf] = useState<'now' | 'then'>('now');
  const [rate, setRate] = useState<number | string>(DEFAULT_RATE);
  const [, navigate] = useLocation();
  const selection = Object.assign({ as_of: asOf }, filters);
  const preview = useQuery(previewQuery(factory, selection));
  const start = useMutation({
    mutationFn: () => startReplay(factory, selection, Number(rate)),
    onSuccess: ({ id }) => navigate(objectPath(factory, 'replays', id)),
  });
  const isBlocked = preview.data === undefined || preview.data.replayed === 0 || typeof rate !== 'number';
  return (
    <Stack>
      <SegmentedControl
        aria-label="Definition"
        value={asOf}
        onChange={(value) => setAsOf(value as 'now' | 'then')}
        data={[
          { value: 'now', label: 'Live definition' },
          { value: 'then', label: 'Definition when received' },
        ]}
      />
      <DryRun factory={factory} preview={preview.data} />
      {preview.error !== null && <ErrorPanel error={preview.error} onRetry={() => void preview.refetch()} />}
      <NumberInput
        label="Deliveries per second"
        description="Deliveries that senders post have precedence."
        min={1}
        max={MAX_RATE}
        clampBehavior="strict"
        allowDecimal={false}
        value={rate}
        onChange={setRate}
      />
      {start.error !== null && <ErrorPanel error={start.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={start.isPending} disabled={isBlocked} onClick={() => start.mutate()}>
          {describeAction(preview.data)}
        </Button>
      </Group>
    </Stack>
  );
}

function describeAction(preview: WholePreview | undefined): string {
  if (preview === undefined || !preview.complete) return 'Replay deliveries';
  return `Replay ${preview.replayed.toLocaleString()} ${preview.replayed === 1 ? 'delivery' : 'deliveries'}`;
}

/** What the replay would start. */
function DryRun({ factory, preview }: { factory: string; preview: WholePreview | undefined }) {
  if (preview === undefined) {
    return (
      <Text size="sm" role="status">
        Evaluating the matching deliveries…
      </Text>
    );
  }
  const unexamined = describeUnexamined(preview);
  return (
    <section aria-label="Dry run">
      <Text size="sm">{describePreview(preview)}</Text>
      <List size="sm">
        {unexamined !== null && <List.Item>{unexamined}</List.Item>}
        {preview.skipped.map(({ reason, reason_text, count }) => (
          <List.Item key={reason}>
            Not replayed: {count.toLocaleString()}. {reason_text}
          </List.Item>
        ))}
      </List>
      {preview.automations.length > 0 && (
        <Table mt="sm" aria-label="Runs that would start">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Automation</Table.Th>
              <Table.Th>Runs</Table.Th>
              <Table.Th>Examples</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {preview.automations.map(({ automation, runs, examples }) => (
              <Table.Tr key={automation}>
                <Table.Td>
                  <ObjectLink factory={factory} kind="automations" id={automation}>
                    <UntrustedText text={automation} />
                  </ObjectLink>
                </Table.Td>
                <Table.Td>{runs.toLocaleString()}</Table.Td>
                <Table.Td>
                  {examples.map(({ delivery, delivery_id }) => (
                    <Anchor
                      key={delivery}
                      component={Link}
                      href={objectPath(factory, 'deliveries', delivery)}
                      size="sm"
                      display="block"
                    >
                      <UntrustedText text={delivery_id} />
                    </Anchor>
                  ))}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </section>
  );
}
