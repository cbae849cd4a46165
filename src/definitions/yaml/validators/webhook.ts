import { createValidator } from './create-validator.ts';

/** The validator of the file of a webhook. */
export const findValidator = createValidator('webhook');
