import { Button, Select } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Delivery } from '../../../client/api-types.ts';
import { escapeText } from '../../../domain/words/escape-text.ts';
import { countOf } from '../../../domain/words/quantities.ts';
import { explanationQuery, replayDelivery } from '../../api/deliveries.ts';
import { ConfirmChange } from '../../parts/dialog/confirm-change.tsx';
import { objectPath } from '../../paths.ts';
import { useMay } from '../../shell/context/session-user.ts';

const EFFECTS = [
  'Runs the stored payload against the current automations, with their current filters and prompts.',
  'Every match starts a new run, even if it already ran.',
  'The replay is logged as a separate delivery that names this one. The sender sees no difference.',
];

/** Replays an accepted delivery and opens the new delivery. */
export function ReplayDelivery({ delivery }: { delivery: Delivery }) {
  const [isAsking, setIsAsking] = useState(false);
  const [automation, setAutomation] = useState<string | null>(null);
  const [, navigate] = useLocation();
  const replay = useMutation({
    mutationFn: () => replayDelivery(delivery.id, automation),
    onSuccess: (made) => {
      setIsAsking(false);
      notifications.show({ title: 'Delivery replayed', message: describeRuns(made.runs.length) });
      navigate(objectPath(made.factory, 'deliveries', made.id));
    },
  });
  if (!useMay('operator') || delivery.label !== 'Accepted') return null;
  return (
    <>
      <Button variant="default" leftSection={<RotateCcw size={16} aria-hidden />} onClick={() => setIsAsking(true)}>
        Replay
      </Button>
      <ConfirmChange
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title="Replay this delivery"
        effects={EFFECTS}
        action="Replay"
        onConfirm={() => replay.mutate()}
        isPending={replay.isPending}
        error={replay.error}
      >
        {isAsking && <AutomationChoice delivery={delivery} value={automation} onChange={setAutomation} />}
      </ConfirmChange>
    </>
  );
}

interface AutomationChoiceProps {
  delivery: Delivery;
  value: string | null;
  onChange: (automation: string | null) => void;
}

function AutomationChoice({ delivery, value, onChange }: AutomationChoiceProps) {
  const { data } = useInfiniteQuery(explanationQuery(delivery.factory, delivery.id));
  const decisions = data?.pages.flatMap((page) => page.decisions) ?? [];
  const names = decisions.map(({ automation }) => automation);
  return (
    <Select
      label="Automations"
      placeholder="All automations of this webhook"
      data={names.map((name) => ({ value: name, label: escapeText(name) }))}
      value={value}
      onChange={onChange}
      clearable
    />
  );
}

function describeRuns(count: number): string {
  if (count === 0) return 'No automation started. See the decisions for the reasons.';
  return `${countOf(count, 'run')} started.`;
}
