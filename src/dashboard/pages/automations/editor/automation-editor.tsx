import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Webhook } from '../../../../client/api-types.ts';
import { RequestFailed } from '../../../../client/read-answer.ts';
import {
  type AutomationRequest,
  automationQuery,
  createAutomation,
  replaceAutomation,
  type TaggedAutomation,
} from '../../../api/automations.ts';
import { ErrorPanel } from '../../../parts/layout/error-panel.tsx';
import { UntrustedText } from '../../../parts/text/untrusted-text.tsx';
import { factoryPath, objectPath } from '../../../paths.ts';
import { useLeaveGuard } from '../../../shell/context/leave-guard.tsx';
import { useFactorySource } from '../use-factory-source.ts';
import { AutomationBacktest } from './automation-backtest.tsx';
import {
  type AutomationDraft,
  createDraft,
  declareTriggers,
  draftOf,
  findDraftProblems,
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

/** The form, and below it the save buttons or the YAML for the file. */
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
  const problems = findDraftProblems(draft);
  return (
    <Stack gap="xl">
      {!mayEdit && <PlaygroundNote />}
      <AutomationForm
        key={formKey(initial)}
        draft={draft}
        webhooks={webhooks}
        isNew={base === null}
        onChange={setDraft}
      />
      <AutomationBacktest
        request={{ automation: base?.automation.name ?? null, enabled: draft.enabled, triggers: body.triggers }}
        isUsable={!problems.some((problem) => problem.startsWith('Trigger'))}
      />
      {mayEdit ? (
        <Saving
          base={base}
          draft={draft}
          body={body}
          problems={problems}
          takeTheirs={takeTheirs}
          release={release}
          keepMine={setBase}
        />
      ) : (
        <Playground base={base} draft={draft} body={body} problems={problems} />
      )}
    </Stack>
  );
}

/** Editors read their text once, so a new version needs new editors. */
function formKey({ triggers }: AutomationDraft): string {
  return triggers.map(({ key }) => key).join(' ');
}

function PlaygroundNote() {
  const { isRepository } = useFactorySource();
  return (
    <Alert color="gray" variant="light" radius="md" icon={<FlaskConical />} title="Changes are not saved here">
      {isRepository
        ? 'This factory is managed in Git. Test a change with stored deliveries, then copy the file content at the end of this page.'
        : 'Your role cannot change automations. Test a change with stored deliveries and show the result to a manager.'}
    </Alert>
  );
}

interface PlaygroundProps {
  base: TaggedAutomation | null;
  draft: AutomationDraft;
  body: AutomationRequest;
  problems: string[];
}

function Playground({ base, draft, body, problems }: PlaygroundProps) {
  const { source } = useFactorySource();
  const folder = source?.path == null || source.path === '.' || source.path === '' ? '' : `${source.path}/`;
  const file = base?.automation.file ?? `${folder}automations/${draft.name.trim() || '<name>'}/automation.md`;
  const inTriggers = problems.filter((problem) => base === null || problem.startsWith('Trigger'));
  if (inTriggers.length > 0) return <DraftProblems problems={inTriggers} />;
  return <CopyForFile body={body} file={file} isNew={base === null} />;
}

function DraftProblems({ problems }: { problems: string[] }) {
  return (
    <div role="status">
      <Text size="sm" fw={600} mb={4}>
        Fix these problems first
      </Text>
      <List size="sm">
        {problems.map((problem) => (
          <List.Item key={problem}>
            <UntrustedText text={problem} />
          </List.Item>
        ))}
      </List>
    </div>
  );
}

interface SavingProps extends PlaygroundProps {
  takeTheirs: (theirs: TaggedAutomation) => void;
  keepMine: (theirs: TaggedAutomation) => void;
  /** Removes the leave guard after saving. */
  release: () => void;
}

function Saving({ base, draft, body, problems, takeTheirs, keepMine, release }: SavingProps) {
  const { factory } = useFactorySource();
  const [isSubmitted, setIsSubmitted] = useState(false);
  const { mutate, isPending, error, reset } = useSave(base, draft.name.trim(), body, release);
  const back =
    base === null ? factoryPath(factory, 'automations') : objectPath(factory, 'automations', base.automation.name);
  const save = () => {
    setIsSubmitted(true);
    if (problems.length === 0) mutate();
  };
  return (
    <Stack>
      {isSubmitted && problems.length > 0 && <DraftProblems problems={problems} />}
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

function useSave(base: TaggedAutomation | null, name: string, body: AutomationRequest, release: () => void) {
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
      navigate(objectPath(factory, 'automations', saved.automation.name));
    },
  });
}

function isConflict(error: unknown): boolean {
  return error instanceof RequestFailed && error.problem.status === 412;
}
