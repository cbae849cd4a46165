import { describeCommandBlocks } from '../helpers/documented-pages.ts';

// `npm run test:faults` executes the other documents.
describeCommandBlocks('the commands of the first documents', [
  'README.md',
  'docs/tutorials/first-factory.md',
  'docs/tutorials/production.md',
]);
