import { describeEveryPage } from '../helpers/every-page.ts';

describeEveryPage(1);
