/** Serves the MCP server on standard input and output until the client disconnects. */
import { finished } from 'node:stream/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { killAllGroups } from '../../host/processGroup';
import { limitedLines, MAX_MESSAGE_BYTES, type Refused } from './limitedLines';
import { createServer } from './server';
import type { ServerSettings } from './settings';

/** JSON-RPC: the request is not a valid request. */
const INVALID_REQUEST = -32600;

/** Resolves when the input ends or `abort` is signalled. Calls that still run are cancelled. */
export async function serve(settings: ServerSettings, abort: AbortSignal): Promise<void> {
  const lines = limitedLines(refused => {
    process.stdout.write(`${JSON.stringify(refusal(refused))}\n`);
  });
  const transport = new StdioServerTransport(lines, undefined, {
    maxBufferSize: 2 * MAX_MESSAGE_BYTES,
  });
  const { server, settled } = createServer(settings);
  server.onerror = error => {
    process.stderr.write(`Ignored message: ${error.message.slice(0, 500)}\n`);
  };
  const stopped = new Promise<void>(resolve => {
    const stop = (): void => {
      resolve();
    };
    process.stdout.once('error', stop);
    abort.addEventListener('abort', () => {
      // The CLI is another bundle, which does not know the processes of this one.
      killAllGroups();
      stop();
    });
    server.onclose = stop;
  });
  // Calls that only read are answered after the end of the input; calls that run are cancelled.
  const ended = finished(lines).then(settled, () => undefined);
  process.stdin.once('error', () => lines.end()).pipe(lines);
  await server.connect(transport);
  await Promise.race([ended, stopped]);
  await server.close();
}

const refusal = ({ id }: Refused) => ({
  jsonrpc: '2.0',
  ...(id === undefined ? {} : { id }),
  error: {
    code: INVALID_REQUEST,
    message: `A message has more than ${MAX_MESSAGE_BYTES} bytes and was refused. Fix: pass a path instead of the contents.`,
  },
});
