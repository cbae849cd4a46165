import { describeCommandBlocks, PAGES } from '../helpers/documented-pages.ts';

describeCommandBlocks('the commands of all documents', Object.keys(PAGES));
