/**
 * Entry of the bundle `mcp.cjs`. The CLI loads the server from it. VS Code, whose package has no
 * CLI, starts it as a program.
 */
import { runProgram } from '../program';
import { mcpCommand } from './command';
import { serve } from './serve';

export { serve };

if (require.main === module) {
  void runProgram((args, context) => mcpCommand(() => Promise.resolve(serve)).run(args, context));
}
