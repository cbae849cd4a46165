import { Button, Paper, Stack } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { CircleX } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useParams } from 'wouter';
import type { Replay } from '../../../client/api-types.ts';
import { cancelReplay, isOpen, replayQuery } from '../../api/replays.ts';
import { ConfirmChange } from '../../parts/dialog/confirm-change.tsx';
import { FactList } from '../../parts/layout/fact-list.tsx';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { StatusBadge } from '../../parts/layout/status-badge.tsx';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { TimeText } from '../../parts/time/time-text.tsx';
import { factoryPath } from '../../paths.ts';
import { useFactory } from '../../shell/context/current-factory.ts';
import { useMay } from '../../shell/context/session-user.ts';
import { ReplayProgress } from './replay-progress.tsx';

/** One replay: its progress, its result, and what it selects. */
export function ReplayPage() {
  const { name: factory } = useFactory();
  const { id = '' } = useParams<{ id: string }>();
  const { data: replay } = useSuspenseQuery(replayQuery(factory, id));
  return (
    <>
      <PageHeader
        title={`Replay ${replay.id}`}
        status={<StatusBadge state={replay.state} />}
        trail={[
          { label: 'Deliveries', href: factoryPath(factory, 'deliveries') },
          { label: 'Replays', href: factoryPath(factory, 'replays') },
        ]}
        lead={
          <>
            Requested by <UntrustedText text={replay.requested_by.name} /> · created <TimeText at={replay.created_at} />
          </>
        }
        actions={isOpen(replay) ? <CancelReplay replay={replay} /> : undefined}
      />
      <Stack gap="lg">
        <Paper withBorder radius="lg" p="lg">
          <FactList facts={listResults(replay)} />
        </Paper>
        <Paper withBorder radius="lg" p="lg">
          <FactList facts={listTerms(replay)} />
        </Paper>
      </Stack>
    </>
  );
}

function listResults(replay: Replay): [string, ReactNode][] {
  const { error, replayed, matched, runs, skipped, finished_at } = replay;
  return [
    ['Examined', <ReplayProgress key="progress" replay={replay} />],
    ['Replayed', `${replayed.toLocaleString()}, of which ${matched.toLocaleString()} started a run`],
    ['Runs started', runs.toLocaleString()],
    ...skipped.map(({ reason, reason_text, count }): [string, ReactNode] => [
      `Not replayed (${reason})`,
      `${count.toLocaleString()}. ${reason_text}`,
    ]),
    ['Error', error === null ? null : <UntrustedText key="error" text={error} />],
    ['Finished', finished_at === null ? null : <TimeText key="finished" at={finished_at} />],
  ];
}

function listTerms({ factory, delivery, filter, automation, as_of, rate }: Replay): [string, ReactNode][] {
  const filters = Object.entries(filter).map(([name, value]) => `${name}: ${String(value)}`);
  return [
    [
      'Delivery',
      delivery === null ? null : <ObjectLink key="delivery" factory={factory} kind="deliveries" id={delivery} />,
    ],
    [
      'Filters',
      delivery === null ? <UntrustedText key="filters" text={filters.join(', ') || 'all accepted deliveries'} /> : null,
    ],
    ['Automation', automation === null ? 'All' : <UntrustedText key="automation" text={automation} />],
    ['Definition', as_of === 'now' ? 'The live one' : 'The one that was live when each delivery was received'],
    ['Rate', `At most ${rate.toLocaleString()} deliveries per second`],
  ];
}

const EFFECTS = [
  'No further delivery is replayed. A cancelled replay cannot continue.',
  'Runs that the replay has started continue.',
];

function CancelReplay({ replay: { factory, id } }: { replay: Replay }) {
  const [isAsking, setIsAsking] = useState(false);
  const queryClient = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => cancelReplay(id),
    onSuccess: () => setIsAsking(false),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['factory', factory, 'replays'] }),
  });
  if (!useMay('operator')) return null;
  return (
    <>
      <Button variant="default" leftSection={<CircleX size={16} aria-hidden />} onClick={() => setIsAsking(true)}>
        Cancel replay
      </Button>
      <ConfirmChange
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title="Cancel this replay"
        effects={EFFECTS}
        action="Cancel replay"
        onConfirm={() => cancel.mutate()}
        isPending={cancel.isPending}
        error={cancel.error}
      />
    </>
  );
}
