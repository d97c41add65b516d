/** The MCP server of the built CLI, with the client of the official SDK. */
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { CLI } from '../cli';

export interface Answer {
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: Progress) => void;
}

export interface Session {
  readonly client: Client;
  readonly pid: number;
  readonly call: (
    name: string,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ) => Promise<Answer>;
}

export interface Started {
  /** Current folder of the server, which is its root unless `args` name another. */
  readonly cwd: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Program and first arguments; default: the CLI. */
  readonly program?: readonly string[];
}

const CALL_TIMEOUT_MS = 120_000;

/** Starts a server, gives `use` a session, and ends the server. */
export async function withSession<T>(
  { cwd, args = [], env = process.env, program = [CLI, 'mcp'] }: Started,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...program, ...args],
    cwd,
    stderr: 'ignore',
    env: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  });
  await client.connect(transport);
  try {
    // The client checks structured results against the schemas that it has listed.
    await client.listTools();
    return await use({
      client,
      pid: transport.pid ?? 0,
      call: async (name, given = {}, options = {}) => {
        const limits = { timeout: CALL_TIMEOUT_MS, ...options };
        const result = await client.callTool({ name, arguments: { ...given } }, undefined, limits);
        return answerOf(result);
      },
    });
  } finally {
    await client.close();
  }
}

function answerOf(result: Awaited<ReturnType<Client['callTool']>>): Answer {
  const content = result.content as readonly { readonly text: string }[];
  return {
    text: content.map(({ text }) => text).join('\n'),
    value: (result.structuredContent ?? {}) as Record<string, unknown>,
    isError: result.isError === true,
  };
}

/** The server as VS Code starts it, without the CLI. */
export const BUNDLE = [path.resolve('dist/mcp.cjs')];

/** A GEMM that every backend verifies in a moment. */
export const PROBLEM = { m: 48, n: 40, k: 32 };
export const SPEC = { problem: PROBLEM, schedule: { algorithm: 'naive' } };
