import { Alert, Button, Code, List, Stack, Text } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import type { Problem } from '../../../client/read-answer.ts';
import { toProblem } from '../../api/problem.ts';
import { UntrustedText } from '../text/untrusted-text.tsx';

interface ErrorPanelProps {
  /** The error of a query or mutation. */
  error: unknown;
  onRetry?: () => void;
  /** Label of the retry button. */
  retryLabel?: string;
}

/** Shows an API problem: what failed, where, and what to do. */
export function ErrorPanel({ error, onRetry, retryLabel = 'Try again' }: ErrorPanelProps) {
  const problem = toProblem(error);
  return (
    <Alert role="alert" color="red" variant="light" radius="md" icon={<CircleAlert />} title={problem.title}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <UntrustedText text={problem.detail} />
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
          <UntrustedText text={line} />
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
  0: 'Check that the daemon is running and that this browser can reach it.',
  401: 'Sign in again, then retry.',
  403: 'Ask an owner for a role with this permission.',
  404: 'It may have been deleted, or your account is limited to other factories.',
  412: 'Another user changed it in the meantime. Reload the page, check the current version and make your change again.',
  503: 'The problem is temporary. Try again in a moment.',
};

function Advice({ problem }: { problem: Problem }) {
  if (problem.id !== undefined) {
    return (
      <Text size="sm">
        For details, search the daemon log for <Code>{problem.id}</Code>.
      </Text>
    );
  }
  const advice = ADVICE[problem.status];
  return advice === undefined ? null : <Text size="sm">{advice}</Text>;
}
