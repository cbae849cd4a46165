import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import {
  type AutomationBody,
  automationQuery,
  createAutomation,
  replaceAutomation,
  type TaggedAutomation,
} from '../../../api/automations.ts';
import { RequestFailed } from '../../../api/problem.ts';
import type { Webhook } from '../../../api/types.ts';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { ForeignText } from '../../../parts/text/foreign-text.tsx';
import { useLeaveGuard } from '../../../shell/context/leave-guard.tsx';
import { automationPath, automationsPath } from '../paths.ts';
import { useFactorySource } from '../use-factory-source.ts';
import { AutomationBacktest } from './automation-backtest.tsx';
import {
  type AutomationDraft,
  createDraft,
  declareTriggers,
  draftOf,
  findObstacles,
  toBody,
} from './automation-draft.ts';
import { AutomationForm } from './automation-form.tsx';
import { CopyForFile } from './copy-for-file.tsx';
import { EditConflict } from './edit-conflict.tsx';

interface AutomationEditorProps {
  /** The automation that is edited; `null` for a new one. */
  before: TaggedAutomation | null;
  webhooks: readonly Webhook[];
}

/** The form with what becomes of it: a change, or text for the file where a repository decides. */
export function AutomationEditor({ before, webhooks }: AutomationEditorProps) {
  const { mayEdit } = useFactorySource();
  const [base, setBase] = useState(before);
  const [initial, setInitial] = useState(() => (base === null ? createDraft() : draftOf(base.automation, webhooks)));
  const [draft, setDraft] = useState(initial);
  const release = useLeaveGuard(mayEdit && JSON.stringify(draft) !== JSON.stringify(initial));
  const takeTheirs = (theirs: TaggedAutomation) => {
    const fresh = draftOf(theirs.automation, webhooks);
    setBase(theirs);
    setInitial(fresh);
    setDraft(fresh);
  };
  const body = toBody(draft, declareTriggers(draft.triggers, webhooks, base?.automation ?? null));
  const obstacles = findObstacles(draft);
  return (
    <Stack gap="xl">
      {!mayEdit && <PlaygroundNote />}
      <AutomationForm key={formKey(initial)} {...{ draft, webhooks, isNew: base === null }} onChange={setDraft} />
      <AutomationBacktest
        wish={{ automation: base?.automation.name ?? null, enabled: draft.enabled, triggers: body.triggers }}
        isUsable={!obstacles.some((obstacle) => obstacle.startsWith('Trigger'))}
      />
      {mayEdit ? (
        <Saving {...{ base, draft, body, obstacles, takeTheirs, release }} keepMine={setBase} />
      ) : (
        <Playground {...{ base, draft, body, obstacles }} />
      )}
    </Stack>
  );
}

/** Editors keep their texts, so another beginning needs new ones. */
function formKey({ triggers }: AutomationDraft): string {
  return triggers.map(({ key }) => key).join(' ');
}

function PlaygroundNote() {
  const { isRepository } = useFactorySource();
  return (
    <Alert color="gray" variant="light" radius="md" icon={<FlaskConical />} title="Nothing is saved here">
      {isRepository
        ? 'A repository decides about this factory. Try a change on stored deliveries, then copy it into the file at the end of this page.'
        : 'Your role may not change automations. Try a change on stored deliveries and show the result to a manager.'}
    </Alert>
  );
}

interface PlaygroundProps {
  base: TaggedAutomation | null;
  draft: AutomationDraft;
  body: AutomationBody;
  obstacles: string[];
}

function Playground({ base, draft, body, obstacles }: PlaygroundProps) {
  const { source } = useFactorySource();
  const folder = source?.path == null || source.path === '.' || source.path === '' ? '' : `${source.path}/`;
  const file = base?.automation.file ?? `${folder}automations/${draft.name.trim() || '<name>'}/automation.md`;
  const inTriggers = obstacles.filter((obstacle) => base === null || obstacle.startsWith('Trigger'));
  if (inTriggers.length > 0) return <Obstacles obstacles={inTriggers} />;
  return <CopyForFile body={body} file={file} isNew={base === null} />;
}

function Obstacles({ obstacles }: { obstacles: string[] }) {
  return (
    <div role="status">
      <Text size="sm" fw={600} mb={4}>
        Before it can be used
      </Text>
      <List size="sm">
        {obstacles.map((obstacle) => (
          <List.Item key={obstacle}>
            <ForeignText text={obstacle} />
          </List.Item>
        ))}
      </List>
    </div>
  );
}

interface SavingProps extends PlaygroundProps {
  takeTheirs: (theirs: TaggedAutomation) => void;
  keepMine: (theirs: TaggedAutomation) => void;
  /** What was typed is saved, so the page may be left. */
  release: () => void;
}

function Saving({ base, draft, body, obstacles, takeTheirs, keepMine, release }: SavingProps) {
  const { factory } = useFactorySource();
  const [isTried, setIsTried] = useState(false);
  const { mutate, isPending, error, reset } = useSave(base, draft.name.trim(), body, release);
  const back = base === null ? automationsPath(factory) : automationPath(factory, base.automation.name);
  const save = () => {
    setIsTried(true);
    if (obstacles.length === 0) mutate();
  };
  return (
    <Stack>
      {isTried && obstacles.length > 0 && <Obstacles obstacles={obstacles} />}
      {base !== null && isConflict(error) ? (
        <EditConflict
          base={base}
          onTakeTheirs={(theirs) => {
            reset();
            takeTheirs(theirs);
          }}
          onKeepMine={(theirs) => {
            reset();
            keepMine(theirs);
          }}
        />
      ) : (
        error !== null && <ErrorPanel error={error} />
      )}
      <Group>
        <Button onClick={save} loading={isPending} disabled={isConflict(error)}>
          {base === null ? 'Create automation' : 'Save'}
        </Button>
        <Button component={Link} href={back} variant="default">
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}

function useSave(base: TaggedAutomation | null, name: string, body: AutomationBody, release: () => void) {
  const { factory } = useFactorySource();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: () =>
      base === null
        ? createAutomation(factory, name, body)
        : replaceAutomation(factory, base.automation.name, body, base.etag),
    onSuccess: (saved) => {
      queryClient.setQueryData(automationQuery(factory, saved.automation.name).queryKey, saved);
      void queryClient.invalidateQueries({ queryKey: ['factory', factory] });
      release();
      navigate(automationPath(factory, saved.automation.name));
    },
  });
}

function isConflict(error: unknown): boolean {
  return error instanceof RequestFailed && error.problem.status === 412;
}
