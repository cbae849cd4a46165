// biome-ignore-all lint/a11y/noRedundantRoles: some browsers drop the roles of tables with display: block
import { Button, Skeleton, VisuallyHidden } from '@mantine/core';
import { ArrowUp } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import type { HeldUpdates } from '../live/use-pointer-hold.ts';
import classes from './data-table.module.css';

export interface DataColumn<Row> {
  header: string;
  render: (row: Row) => ReactNode;
  align?: 'end';
  /** Shows the header to screen readers only. For columns of buttons. */
  hideHeader?: boolean;
}

interface DataTableProps<Row> {
  /** Accessible name of the table. */
  label: string;
  columns: DataColumn<Row>[];
  /** `undefined` while loading. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** Rows that arrived while the pointer was on the table. */
  held?: HeldUpdates;
  /** Details below an open row; `null` for closed rows. */
  renderDetail?: (row: Row) => ReactNode;
  /** Shown instead of the table if it has no rows. */
  empty?: ReactNode;
}

/** A table. On narrow screens each row becomes a card, and each value is labelled with its column header. */
export function DataTable<Row>({ label, columns, rows, rowKey, held, renderDetail, empty }: DataTableProps<Row>) {
  if (rows?.length === 0 && empty !== undefined) return empty;
  return (
    <div className={classes.frame} {...held?.handlers}>
      <HeldRows held={held} />
      <table className={classes.table} role="table" aria-label={label} aria-busy={rows === undefined}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ header, align, hideHeader }) => (
              <th key={header} role="columnheader" scope="col" data-align={align}>
                {hideHeader ? <VisuallyHidden>{header}</VisuallyHidden> : header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows === undefined ? (
            <WaitingRows columns={columns.length} />
          ) : (
            rows.map((row) => (
              <TableRow key={rowKey(row)} row={row} columns={columns} detail={renderDetail?.(row) ?? null} />
            ))
          )}
        </tbody>
      </table>
    </div>
  );
}

interface TableRowProps<Row> {
  row: Row;
  columns: DataColumn<Row>[];
  detail: ReactNode;
}

/** Rendered again only if its row, its details or the columns change: a live list changes often, and most of its rows do not. */
const TableRow = memo(PlainRow) as typeof PlainRow;

function PlainRow<Row>({ row, columns, detail }: TableRowProps<Row>) {
  return (
    <>
      <tr role="row">
        {columns.map(({ header, render, align, hideHeader }) => (
          <td key={header} role="cell" data-label={hideHeader ? undefined : header} data-align={align}>
            <div className={classes.value}>{render(row)}</div>
          </td>
        ))}
      </tr>
      {detail !== null && (
        <tr role="row">
          <td role="cell" className={classes.detail} colSpan={columns.length}>
            {detail}
          </td>
        </tr>
      )}
    </>
  );
}

function HeldRows({ held }: { held: HeldUpdates | undefined }) {
  const waiting = held?.waiting ?? 0;
  return (
    <div className={classes.held} role="status">
      {held !== undefined && waiting > 0 && (
        <Button size="compact-sm" radius="xl" leftSection={<ArrowUp size={14} />} onClick={held.show}>
          {waiting} new
        </Button>
      )}
    </div>
  );
}

const WAITING_ROWS = ['first', 'second', 'third'];

function WaitingRows({ columns }: { columns: number }) {
  return WAITING_ROWS.map((key) => (
    <tr key={key} role="row">
      <td role="cell" colSpan={columns}>
        <Skeleton height={18} my={4} />
      </td>
    </tr>
  ));
}
