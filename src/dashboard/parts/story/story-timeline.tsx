import { Button } from '@mantine/core';
import { CircleAlert, CircleCheck, CircleDot, CircleX, LoaderCircle, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Story, StoryStep } from '../../../client/api-types.ts';
import { ChangedValues } from '../diff/changed-values.tsx';
import { CommitText } from '../text/commit-text.tsx';
import { RevisionText } from '../text/revision-text.tsx';
import { UntrustedText } from '../text/untrusted-text.tsx';
import { formatDay, formatTimeOfDay } from '../time/format-time.ts';
import { StoryLink } from './story-link.tsx';
import classes from './story-timeline.module.css';

interface StoryTimelineProps extends Pick<Story, 'subject' | 'steps'> {
  /** Does the page load the story of everything? */
  isExpanding: boolean;
  onExpand(): void;
}

/** What happened, the earliest step first. */
export function StoryTimeline({ subject, steps, isExpanding, onExpand }: StoryTimelineProps) {
  return (
    <ol className={classes.timeline}>
      {steps.map((step, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other identity, and new ones are added at the end
        <li key={i} className={classes.step} data-outcome={step.outcome}>
          <StepTime at={step.at} before={steps[i - 1]?.at ?? null} />
          <StepMark outcome={step.outcome} />
          <StepContent step={step} links={step.links.filter(({ id }) => id !== subject.id)}>
            {step.expandable && (
              <Button variant="subtle" size="compact-xs" loading={isExpanding} onClick={onExpand}>
                Show each
              </Button>
            )}
          </StepContent>
        </li>
      ))}
    </ol>
  );
}

/** The time of day, with the day if it differs from the step before. A repeated time is hidden. */
function StepTime({ at, before }: { at: string | null; before: string | null }) {
  if (at === null) return <span className={classes.time}>Now</span>;
  const isSameDay = before !== null && formatDay(before) === formatDay(at);
  return (
    <time className={classes.time} dateTime={at} title={at} data-repeated={at === before}>
      {!isSameDay && <span className={classes.day}>{formatDay(at)}</span>} {formatTimeOfDay(at)}
    </time>
  );
}

const MARKS: Readonly<Record<StoryStep['outcome'], { icon: LucideIcon; label: string }>> = {
  ok: { icon: CircleCheck, label: 'Done' },
  failed: { icon: CircleX, label: 'Failed' },
  warning: { icon: CircleAlert, label: 'Warning' },
  now: { icon: LoaderCircle, label: 'Current state' },
  note: { icon: CircleDot, label: '' },
};

function StepMark({ outcome }: Pick<StoryStep, 'outcome'>) {
  const { icon: Icon, label } = MARKS[outcome];
  return (
    <span className={classes.mark}>
      <Icon size={16} aria-hidden={label === ''} aria-label={label === '' ? undefined : label} role="img" />
    </span>
  );
}

interface StepContentProps {
  step: StoryStep;
  /** Without the page that shows the story. */
  links: StoryStep['links'];
  /** What shows more on this page. */
  children: ReactNode;
}

/** A command is shown only if no page shows more. */
function StepContent({ step, links, children }: StepContentProps) {
  const { text, facts, commit, changes, command, expandable } = step;
  return (
    <div className={classes.content}>
      <p className={classes.text}>
        <UntrustedText text={text} />
      </p>
      {facts.length > 0 && (
        <dl className={classes.facts}>
          {facts.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>{' '}
              <dd>
                <UntrustedText text={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {commit !== null && (
        <p className={classes.more}>
          <RevisionText revision={commit.revision} /> {commit.commit !== null && <CommitText commit={commit.commit} />}
        </p>
      )}
      {changes.length > 0 && <ChangedValues changes={changes} />}
      {links.length > 0 && (
        <p className={classes.links}>
          {links.map((link) => (
            <StoryLink key={`${link.kind} ${link.id}`} link={link} />
          ))}
        </p>
      )}
      {children}
      {command !== null && !expandable && links.length === 0 && (
        <p className={classes.more}>
          <code>
            <UntrustedText text={command} />
          </code>
        </p>
      )}
    </div>
  );
}
