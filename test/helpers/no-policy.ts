import { readDeclared } from '../../src/core/resources/fields.ts';
import { RUN_POLICY_FIELDS } from '../../src/core/resources/run-policy-fields.ts';

/** The run policy of an automation that declares none. */
export const NO_POLICY = readDeclared(RUN_POLICY_FIELDS, {});
