/** The MCP server in VS Code: its definition, its start from the extension host, and its trust. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as vscode from 'vscode';
import type { Abilities } from '../../../src/extension/abilities';
import { registerAgents } from '../../../src/extension/agents/register';
import { MCP_SERVERS } from '../../../src/extension/ids';

const EXTENSION = 'gemm-explorer.gemm-explorer';

describe('the MCP server in VS Code', () => {
  const { lm } = vscode;
  const original = lm.registerMcpServerDefinitionProvider;
  /** Emits `asked` when VS Code asks for the definitions. */
  const asked = new EventEmitter();
  let registered: { id: string; provider: vscode.McpServerDefinitionProvider } | undefined;
  const subscriptions: { readonly dispose: () => unknown }[] = [];

  before(() => {
    const extension = vscode.extensions.getExtension(EXTENSION);
    assert.ok(extension, 'the extension is installed');
    const script = vscode.Uri.joinPath(extension.extensionUri, 'dist', 'mcp.cjs').fsPath;
    Object.assign(lm, {
      registerMcpServerDefinitionProvider: (
        id: string,
        provider: vscode.McpServerDefinitionProvider,
      ) => {
        registered = { id, provider };
        // VS Code refuses an id that the manifest does not contribute.
        return original.call(lm, id, {
          ...provider,
          provideMcpServerDefinitions: token => {
            asked.emit('asked');
            return provider.provideMcpServerDefinitions(token);
          },
        });
      },
    });
    const abilities: Pick<Abilities, 'mcpServer'> = {
      mcpServer: () => ({
        command: process.execPath,
        script,
        env: { ELECTRON_RUN_AS_NODE: '1' },
        tools: [],
      }),
    };
    const parts = { context: { extension }, abilities } as Parameters<typeof registerAgents>[0];
    subscriptions.push(...registerAgents(parts).subscriptions);
  });
  after(() => {
    Object.assign(lm, { registerMcpServerDefinitionProvider: original });
    for (const one of subscriptions) one.dispose();
  });

  const definition = async (): Promise<vscode.McpStdioServerDefinition> => {
    assert.equal(registered?.id, MCP_SERVERS);
    const { token } = new vscode.CancellationTokenSource();
    const found = await registered.provider.provideMcpServerDefinitions(token);
    const [one] = found ?? [];
    assert.ok(one instanceof vscode.McpStdioServerDefinition);
    return one;
  };

  it('has the workspace as its root, and may run in a trusted workspace', async () => {
    const { label, args, cwd } = await definition();
    const root = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert.equal(label, 'GEMM Explorer');
    assert.deepEqual(args.slice(1, 3), ['--root', root?.fsPath]);
    assert.equal(cwd?.toString(), root?.toString());
    assert.equal(args.includes('--allow-run'), vscode.workspace.isTrusted);
  });

  it('is read-only in Restricted Mode', async () => {
    const { workspace } = vscode;
    const trusted = Object.getOwnPropertyDescriptor(workspace, 'isTrusted');
    assert.ok(trusted);
    Object.defineProperty(workspace, 'isTrusted', { ...trusted, get: () => false });
    try {
      assert.equal((await definition()).args.length, 3);
    } finally {
      Object.defineProperty(workspace, 'isTrusted', trusted);
    }
  });

  it('answers from the program of the extension host', async () => {
    const { command, args, env } = await definition();
    const inherited = Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    const transport = new StdioClientTransport({
      command,
      args,
      env: { ...Object.fromEntries(inherited), ...(env as Record<string, string>) },
      stderr: 'ignore',
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    const { tools } = await client.listTools();
    assert.equal(tools.length, 12);
    const spec = { problem: { m: 64, n: 64, k: 64 } };
    const result = await client.callTool({ name: 'check_spec', arguments: { spec } });
    assert.equal((result.structuredContent as { readonly ok: boolean }).ok, true);
    await client.close();
  });

  it('is read again by VS Code when a setting of a tool changes', async () => {
    const announced = once(asked, 'asked');
    const settings = vscode.workspace.getConfiguration('gemm');
    await settings.update('cuda.device', 1, vscode.ConfigurationTarget.Global);
    try {
      await announced;
    } finally {
      await settings.update('cuda.device', undefined, vscode.ConfigurationTarget.Global);
    }
  });
});
