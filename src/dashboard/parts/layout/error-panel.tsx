import { Alert, Button, Code, List, Stack, Text } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import type { Problem } from '../../api/problem.ts';
import { toProblem } from '../../api/problem.ts';
import { ForeignText } from '../text/foreign-text.tsx';

interface ErrorPanelProps {
  /** Whatever a query or a change threw. */
  error: unknown;
  onRetry?: () => void;
  /** Words of the button for it. */
  retryLabel?: string;
}

/** A problem document for people: what went wrong, where, and what to do. */
export function ErrorPanel({ error, onRetry, retryLabel = 'Try again' }: ErrorPanelProps) {
  const problem = toProblem(error);
  return (
    <Alert role="alert" color="red" variant="light" radius="md" icon={<CircleAlert />} title={problem.title}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <ForeignText text={problem.detail} />
        </Text>
        <Findings problem={problem} />
        <Advice problem={problem} />
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {retryLabel}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function Findings({ problem }: { problem: Problem }) {
  const diagnostics = Array.isArray(problem.diagnostics) ? (problem.diagnostics as Finding[]) : [];
  const lines = [
    ...(problem.errors ?? []).map(({ pointer, detail }) => `${pointer} ${detail}`),
    ...diagnostics.map(({ file, line, message }) => `${file}:${line} ${message}`),
  ];
  if (lines.length === 0) return null;
  return (
    <List size="sm">
      {lines.map((line) => (
        <List.Item key={line}>
          <ForeignText text={line} />
        </List.Item>
      ))}
    </List>
  );
}

interface Finding {
  file: string;
  line: number;
  message: string;
}

const ADVICE: Readonly<Record<number, string>> = {
  0: 'Check that the daemon runs and that this browser reaches it.',
  401: 'Sign in again, then repeat the request.',
  403: 'Ask an owner for a role that may do this.',
  404: 'It may have been deleted, or your account is limited to other factories.',
  412: 'Somebody else changed it in the meantime. Reload, look at it, and change it again.',
  503: 'The daemon says that this passes. Try again in a moment.',
};

function Advice({ problem }: { problem: Problem }) {
  if (problem.id !== undefined) {
    return (
      <Text size="sm">
        The daemon’s log has the details under <Code>{problem.id}</Code>.
      </Text>
    );
  }
  const advice = ADVICE[problem.status];
  return advice === undefined ? null : <Text size="sm">{advice}</Text>;
}
