import { readDeclared } from '../../src/domain/resources/fields.ts';
import { RUN_POLICY_FIELDS } from '../../src/domain/resources/run-policy-fields.ts';

/** The run policy of an automation that declares none. */
export const NO_POLICY = readDeclared(RUN_POLICY_FIELDS, {});
