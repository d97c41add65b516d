/** Registers the MCP server with VS Code, so that agents find the tools of GEMM Explorer. */
import * as vscode from 'vscode';
import type { Base, Feature } from '../shared/base';
import { MCP_SERVERS } from '../ids';
import { definitionsOf } from './definitions';

/** Names that editors based on older versions of VS Code do not have. */
interface NewerApi {
  readonly lm?: Partial<Pick<typeof vscode.lm, 'registerMcpServerDefinitionProvider'>>;
  readonly McpStdioServerDefinition?: typeof vscode.McpStdioServerDefinition;
}

export function registerAgents({
  context,
  abilities,
}: Pick<Base, 'context' | 'abilities'>): Feature {
  const { mcpServer } = abilities;
  const api = vscode as NewerApi;
  const { McpStdioServerDefinition: Definition } = api;
  const register = api.lm?.registerMcpServerDefinitionProvider;
  if (mcpServer === undefined || register === undefined || Definition === undefined)
    return { subscriptions: [] };
  const changed = new vscode.EventEmitter<void>();
  const announce = (): void => {
    changed.fire();
  };
  const { version } = context.extension.packageJSON as { readonly version: string };
  const provider = {
    onDidChangeMcpServerDefinitions: changed.event,
    provideMcpServerDefinitions: () =>
      definitionsOf({
        folders: vscode.workspace.workspaceFolders ?? [],
        isTrusted: vscode.workspace.isTrusted,
        version,
        program: mcpServer(),
      }).map(({ label, command, args, env, version: own, cwd }) =>
        Object.assign(new Definition(label, command, [...args], { ...env }, own), { cwd }),
      ),
  };
  return {
    subscriptions: [
      changed,
      register(MCP_SERVERS, provider),
      vscode.workspace.onDidGrantWorkspaceTrust(announce),
      vscode.workspace.onDidChangeWorkspaceFolders(announce),
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration('gemm')) announce();
      }),
    ],
  };
}
