/** The page in VS Code, in every state. */
import { describeAccessible } from './accessible';

describeAccessible('toolkit');
