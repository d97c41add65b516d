/** The MCP server: lists the tools and calls them. Calls that may start processes run in turn. */
import { setImmediate } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolResult,
  type Tool as ListedTool,
} from '@modelcontextprotocol/sdk/types.js';
import { version } from '../version';
import { createQueue } from './queue';
import type { ServerSettings } from './settings';
import type { Call, Tool } from './tool';
import { TOOLS } from './tools';

/** Text that clients give to their model together with the tools. */
export const instructions = ({ allowRun, root }: ServerSettings): string =>
  [
    'GEMM Explorer generates, analyzes, verifies, times and tunes tiled matrix multiplication kernels (CUDA and WGSL).',
    'Steps: suggest_spec with the problem returns a complete spec; analyze_kernel states what limits its kernel and which edits raise the rate (pass them as set); verify_kernel checks the result; benchmark_kernels and tune_kernel measure on a GPU; generate_kernel returns or writes the source.',
    `Paths are relative to ${root}.`,
    allowRun
      ? 'This server was started with --allow-run: calls may compile and run kernels as the user, and write files below the root folder.'
      : 'This server is read-only: nothing is compiled, written or started; verify_kernel has only the backend simulate. The user can start it with --allow-run.',
  ].join('\n');

export interface CreatedServer {
  readonly server: Server;
  /** Resolves when no call that only reads is pending. */
  readonly settled: () => Promise<void>;
}

export function createServer(settings: ServerSettings): CreatedServer {
  const server = new Server(
    { name: 'gemm-explorer', title: 'GEMM Explorer', version },
    {
      capabilities: { tools: {} },
      instructions: instructions(settings),
      // The validator of elicited answers. This server asks the user nothing.
      jsonSchemaValidator: {
        getValidator: () => {
          throw new Error('This server has no elicitation.');
        },
      },
    },
  );
  const queue = createQueue();
  const reading = new Set<Promise<unknown>>();
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: TOOLS.map(tool => tool.listed(settings)) as unknown as ListedTool[],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { name, arguments: args, _meta: meta } = params;
    const tool = TOOLS.find(one => one.name === name);
    if (tool === undefined) return unknownTool(name);
    const call: Call = {
      settings,
      abort: extra.signal,
      note: progressTo(meta?.progressToken, message => {
        void extra
          .sendNotification({ method: 'notifications/progress', params: message })
          .catch(() => undefined);
      }),
    };
    if (tool.effects !== 'none' && settings.allowRun) return await inTurn(tool, args, call);
    const answer = tool.call(args, call);
    reading.add(answer);
    return await answer.finally(() => reading.delete(answer));
  });
  const settled = async (): Promise<void> => {
    // The last message may not have reached its handler yet.
    await setImmediate();
    await Promise.allSettled(reading);
    await setImmediate();
  };
  return { server, settled };

  /** Runs a call that may start processes after the earlier ones. */
  function inTurn(tool: Tool, args: unknown, call: Call): Promise<CallToolResult> {
    const onWait = (): void => {
      call.note('Waiting for an earlier call');
    };
    return queue(() => tool.call(args, call), { signal: call.abort, onWait });
  }
}

interface Progress {
  readonly [field: string]: unknown;
  readonly progressToken: string | number;
  readonly progress: number;
  readonly message: string;
}

/** Returns a function that sends lines as progress, if the client wants progress. */
function progressTo(
  progressToken: string | number | undefined,
  send: (progress: Progress) => void,
): (line: string) => void {
  let progress = 0;
  return line => {
    if (progressToken === undefined) return;
    progress += 1;
    send({ progressToken, progress, message: line.trim() });
  };
}

const unknownTool = (name: string): CallToolResult => ({
  content: [
    {
      type: 'text',
      text: `Unknown tool "${name.slice(0, 100)}". Tools: ${TOOLS.map(one => one.name).join(', ')}.`,
    },
  ],
  isError: true,
});
