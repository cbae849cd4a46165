import { createValidator } from './create-validator.ts';

/** The validator of the front matter of an automation. */
export const findValidator = createValidator('automation');
