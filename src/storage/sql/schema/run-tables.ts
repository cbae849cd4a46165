import { RUN_FIELDS, type Run } from '../../../core/resources/run.ts';
import { columnsOf, mapColumns } from './columns.ts';

/** The fields of a run that `runs` stores; the webhook is joined. */
export const RUNS = mapColumns<Run>()(columnsOf(RUN_FIELDS));
