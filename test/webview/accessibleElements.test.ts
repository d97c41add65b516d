/** The page with the other kit of elements, in every state. */
import { describeAccessible } from './accessible';

describeAccessible('elements');
