import { describeCommandBlocks } from '../helpers/documented-pages.ts';

// `npm run test:faults` executes the other documents.
describeCommandBlocks('the commands of the first documents', [
  // The first one creates the secret without which nothing is applied.
  'docs/reference/webhook.md',
  'README.md',
  'docs/tutorials/first-factory.md',
  'docs/tutorials/production.md',
]);
