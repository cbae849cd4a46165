import { Anchor, Code, Loader, Modal, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RulePiece } from '../../../../scripts/rule-docs.ts';
import { CodeBlock } from '../copy/code-block.tsx';
import { ErrorPanel } from '../layout/error-panel.tsx';
import { UntrustedText } from '../text/untrusted-text.tsx';

/** The ID of a definition rule. Opens its documentation, which is part of the dashboard. */
export function RuleLink({ rule }: { rule: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Anchor component="button" type="button" size="sm" onClick={() => setIsOpen(true)}>
        <UntrustedText text={rule} />
      </Anchor>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={<UntrustedText text={rule} />} size="lg">
        <RulePage rule={rule} />
      </Modal>
    </>
  );
}

function RulePage({ rule }: { rule: string }) {
  const { data, error } = useQuery({
    queryKey: ['rule-page', rule],
    queryFn: async () => (await import('./rule-pages.ts')).readRulePage(rule),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <ErrorPanel error={error} />;
  if (data === undefined) return <Loader role="status" aria-label="Loading the documentation of the rule" />;
  return (
    <Stack gap="sm">
      {data.map((piece, i) => (
        <Piece key={`${piece.kind} ${piece.text}`} piece={piece} number={i + 1} />
      ))}
    </Stack>
  );
}

function Piece({ piece: { kind, text }, number }: { piece: RulePiece; number: number }) {
  if (kind === 'heading') {
    return (
      <Title order={3} size="h5">
        {text}
      </Title>
    );
  }
  if (kind === 'code') return <CodeBlock code={text} what={`example in paragraph ${number}`} />;
  // Every second part was enclosed in backquotes.
  const runs = text.split('`');
  return (
    <Text size="sm">
      {runs.map((run, i) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the text never changes
        i % 2 === 1 ? <Code key={i}>{run}</Code> : run,
      )}
    </Text>
  );
}
