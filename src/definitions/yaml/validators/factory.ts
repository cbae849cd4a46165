import { createValidator } from './create-validator.ts';

/** The validator of `factory.yaml`. */
export const findValidator = createValidator('factory');
