import { Button } from '@mantine/core';
import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Json } from '../../../client/openapi.d.ts';
import { countOf } from '../../../domain/words/quantities.ts';
import { UntrustedText } from '../text/untrusted-text.tsx';
import type { JsonPath } from './json-path.ts';
import classes from './json-tree.module.css';

interface JsonTreeProps {
  value: Json;
  /** Accessible name of the tree. */
  label: string;
  /** Buttons of each row. */
  renderActions?: (path: JsonPath, value: Json) => ReactNode;
}

/** Number of levels that are open initially. */
const OPEN_LEVELS = 3;
/** Objects with more children show them in steps. */
const SHOWN_CHILDREN = 100;
/** Longer texts are shortened until the user asks for the rest. */
const SHOWN_CHARACTERS = 600;

/** A JSON value as a tree. Closed nodes are not rendered, so large and deep values stay fast. */
export function JsonTree({ value, label, renderActions }: JsonTreeProps) {
  return (
    <ul className={classes.tree} aria-label={label}>
      <TreeRow path={[]} value={value} renderActions={renderActions} />
    </ul>
  );
}

interface TreeRowProps {
  path: JsonPath;
  value: Json;
  renderActions: JsonTreeProps['renderActions'];
}

function TreeRow({ path, value, renderActions }: TreeRowProps) {
  const children = listChildren(value);
  const [isOpen, setIsOpen] = useState(path.length < OPEN_LEVELS && (children?.length ?? 0) <= SHOWN_CHILDREN);
  if (children === null || children.length === 0) {
    return (
      <li>
        <div className={classes.row}>
          <span className={classes.leaf}>
            <RowKey step={path.at(-1)} />
            <RowValue value={value} />
          </span>
          <span className={classes.actions}>{renderActions?.(path, value)}</span>
        </div>
      </li>
    );
  }
  return (
    <li>
      <div className={classes.row}>
        <button type="button" className={classes.toggle} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <ChevronRight size={14} className={classes.chevron} data-open={isOpen || undefined} aria-hidden />
          <RowKey step={path.at(-1)} />
          <span className={classes.summary}>{describeSize(value, children.length)}</span>
        </button>
        <span className={classes.actions}>{renderActions?.(path, value)}</span>
      </div>
      {isOpen && <TreeRows path={path} rows={children} renderActions={renderActions} />}
    </li>
  );
}

function TreeRows({ path, rows, renderActions }: Omit<TreeRowProps, 'value'> & { rows: Child[] }) {
  const [shown, setShown] = useState(SHOWN_CHILDREN);
  const hidden = rows.length - shown;
  return (
    <ul>
      {rows.slice(0, shown).map(([step, child]) => (
        <TreeRow key={step} path={[...path, step]} value={child} renderActions={renderActions} />
      ))}
      {hidden > 0 && (
        <li>
          <Button variant="subtle" size="compact-xs" ml={18} onClick={() => setShown(shown + SHOWN_CHILDREN)}>
            Show {Math.min(hidden, SHOWN_CHILDREN)} more ({hidden} hidden)
          </Button>
        </li>
      )}
    </ul>
  );
}

function RowKey({ step }: { step: string | number | undefined }) {
  if (step === undefined) return null;
  return (
    <>
      <span className={classes.key}>
        <UntrustedText text={String(step)} />
      </span>
      <span className={classes.colon}>: </span>
    </>
  );
}

function RowValue({ value }: { value: Json }) {
  const [isWhole, setIsWhole] = useState(false);
  const text = JSON.stringify(value);
  const isCut = !isWhole && text.length > SHOWN_CHARACTERS;
  return (
    <span data-type={value === null ? 'null' : typeof value} className={classes.value}>
      <UntrustedText text={isCut ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text} />
      {isCut && (
        <Button variant="subtle" size="compact-xs" ml={4} onClick={() => setIsWhole(true)}>
          Show all {text.length} characters
        </Button>
      )}
    </span>
  );
}

type Child = [step: string | number, value: Json];

/** `null` for scalars. */
function listChildren(value: Json): Child[] | null {
  if (typeof value !== 'object' || value === null) return null;
  return Array.isArray(value) ? value.map((child, i) => [i, child]) : Object.entries(value);
}

function describeSize(value: Json, count: number): string {
  return countOf(count, Array.isArray(value) ? 'element' : 'key');
}
