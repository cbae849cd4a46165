import { describe } from 'vitest';
import { describeCommandBlocks, PAGES } from '../helpers/documented-pages.ts';

describe('documents', { tags: 'full' }, () => {
  describeCommandBlocks('the commands of all documents', Object.keys(PAGES));
});
