import { diffValues } from '../../../domain/words/yaml-text.ts';
import { UntrustedText } from '../text/untrusted-text.tsx';
import classes from './changed-values.module.css';

const SIGNS = { added: '+ ', removed: '- ', same: '  ', gap: '  ' } as const;

interface ChangedValuesProps {
  /** The name of the changed object, for a separate region; omitted inside another one. */
  name?: string;
  changes: readonly { key: string; from?: unknown; to?: unknown }[];
}

/** The changed lines of a definition, in its own YAML. */
export function ChangedValues({ name, changes }: ChangedValuesProps) {
  const lines = changes.flatMap((change) =>
    diffValues(change).map(({ kind, text }, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff have no other identity and never move
      <div key={`${change.key} ${i}`} data-kind={kind}>
        <UntrustedText text={SIGNS[kind] + text} keepLayout />
      </div>
    )),
  );
  if (name === undefined) return <div className={classes.diff}>{lines}</div>;
  return (
    <section className={classes.diff} aria-label={`Changes to ${name}`}>
      {lines}
    </section>
  );
}
