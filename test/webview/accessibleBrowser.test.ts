/** The page in a browser, in every state. */
import { describeAccessible } from './accessible';

describeAccessible('browser');
