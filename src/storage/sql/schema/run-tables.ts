import { RUN_FIELDS } from '../../../core/resources/run.ts';
import { mapFields } from './columns.ts';

/** The fields of a run that `runs` stores; the webhook is joined. */
export const RUNS = mapFields(RUN_FIELDS);
