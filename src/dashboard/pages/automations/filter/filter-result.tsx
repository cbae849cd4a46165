import { Alert, Code, List, Stack, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import { Check, CircleCheck, CircleMinus, X } from 'lucide-react';
import type { FilterResult as Result } from '../../../../client/api-types.ts';
import { UntrustedText } from '../../../parts/text/untrusted-text.tsx';

/** Shows whether a filter matches, the deciding key, and every condition in the order of the filter. */
export function FilterResult({ result: { verdict, decided_by, message, trace } }: { result: Result }) {
  const isMatch = verdict === 'Would trigger';
  return (
    <Stack gap="sm">
      <Alert
        color={isMatch ? 'teal' : 'orange'}
        variant="light"
        radius="md"
        title={verdict}
        icon={isMatch ? <CircleCheck /> : <CircleMinus />}
      >
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <UntrustedText text={message} />
        </Text>
        {decided_by !== null && decided_by !== '' && (
          <Text size="sm" mt={4}>
            Decided by{' '}
            <Code>
              <UntrustedText text={decided_by} />
            </Code>
          </Text>
        )}
      </Alert>
      {trace.length > 0 && <Trace trace={trace} />}
    </Stack>
  );
}

function Trace({ trace }: Pick<Result, 'trace'>) {
  return (
    <div>
      <Text size="sm" fw={600} mb={6}>
        Conditions
      </Text>
      <List spacing={6} size="sm" aria-label="Conditions" listStyleType="none">
        {trace.map((entry) => (
          <List.Item key={`${entry.path} ${entry.operator} ${entry.message}`} icon={<Mark isMatch={entry.matched} />}>
            <span style={{ overflowWrap: 'anywhere' }}>
              <UntrustedText text={entry.message} />
            </span>
          </List.Item>
        ))}
      </List>
    </div>
  );
}

function Mark({ isMatch }: { isMatch: boolean }) {
  return (
    <ThemeIcon size={20} radius="xl" variant="light" color={isMatch ? 'teal' : 'orange'}>
      {isMatch ? <Check size={13} aria-hidden /> : <X size={13} aria-hidden />}
      <VisuallyHidden>{isMatch ? 'matched:' : 'not matched:'}</VisuallyHidden>
    </ThemeIcon>
  );
}
