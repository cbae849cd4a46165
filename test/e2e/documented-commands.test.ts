import { describeCommandBlocks } from '../helpers/documented-pages.ts';

// `npm run test:faults` executes the other documents.
describeCommandBlocks('the commands of the first document', ['README.md']);
