import { ActionIcon, Button, Group, Switch, Text, TextInput } from '@mantine/core';
import { ChevronDown, ChevronUp, Download, Search } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import type { LogMatches } from './find-matches.ts';

interface LogToolbarProps {
  text: string;
  onFind: (text: string) => void;
  matches: LogMatches;
  /** Index of the selected match. */
  shown: number;
  onGoTo: (index: number) => void;
  showsTimes: boolean;
  /** `null` if no times are known. */
  onShowTimes: ((isShown: boolean) => void) | null;
  href: string;
}

/** Search, times and download. Enter goes to the next match, Shift+Enter to the previous one. */
export function LogToolbar(props: LogToolbarProps) {
  const { text, onFind, matches, shown, onGoTo, showsTimes, onShowTimes, href } = props;
  const isEmpty = matches.all.length === 0;
  const goToNext = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onFind('');
    if (event.key !== 'Enter' || isEmpty) return;
    event.preventDefault();
    onGoTo(shown + (event.shiftKey ? -1 : 1));
  };
  return (
    <Group gap="xs" role="search" aria-label="Log">
      <TextInput
        size="xs"
        flex="1 1 160px"
        maw={320}
        aria-label="Search the log"
        placeholder="Search the log"
        leftSection={<Search size={14} aria-hidden />}
        value={text}
        onChange={(event) => onFind(event.currentTarget.value)}
        onKeyDown={goToNext}
      />
      <ActionIcon
        variant="default"
        size={30}
        aria-label="Previous match"
        disabled={isEmpty}
        onClick={() => onGoTo(shown - 1)}
      >
        <ChevronUp size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size={30}
        aria-label="Next match"
        disabled={isEmpty}
        onClick={() => onGoTo(shown + 1)}
      >
        <ChevronDown size={16} aria-hidden />
      </ActionIcon>
      <Text size="sm" c="dimmed" role="status">
        {text === '' ? '' : describeMatches(matches, shown)}
      </Text>
      {onShowTimes !== null && (
        <Switch
          size="xs"
          ml="auto"
          label="Times"
          checked={showsTimes}
          onChange={({ currentTarget }) => onShowTimes(currentTarget.checked)}
        />
      )}
      <Button
        component="a"
        href={href}
        download
        variant="default"
        size="xs"
        ml={onShowTimes === null ? 'auto' : undefined}
        leftSection={<Download size={14} aria-hidden />}
      >
        Download
      </Button>
    </Group>
  );
}

function describeMatches({ all, isCut }: LogMatches, shown: number): string {
  if (all.length === 0) return 'No matches';
  return `${(shown + 1).toLocaleString()} of ${all.length.toLocaleString()}${isCut ? ' or more' : ''}`;
}
