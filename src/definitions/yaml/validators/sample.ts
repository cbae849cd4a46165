import { createValidator } from './create-validator.ts';

/** The validator of a sample. */
export const findValidator = createValidator('sample');
