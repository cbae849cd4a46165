import { createValidator } from './create-validator.ts';

/** The validator of `dockbell.yaml`. */
export const findValidator = createValidator('config');
