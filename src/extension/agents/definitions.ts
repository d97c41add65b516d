/** Describes the MCP servers of a workspace: one per folder on disk. */
import type * as vscode from 'vscode';
import type { McpProgram } from '../abilities';

export interface ServerDefinition {
  readonly label: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Changes with the permission, so that VS Code lists the tools again. */
  readonly version: string;
  readonly cwd: vscode.Uri;
}

export interface Workspace {
  readonly folders: readonly Pick<vscode.WorkspaceFolder, 'name' | 'uri'>[];
  readonly isTrusted: boolean;
  readonly version: string;
  readonly program: McpProgram;
}

/** Only in a trusted workspace, a server may run kernels, and gets the paths of tools. */
export function definitionsOf({
  folders,
  isTrusted,
  version,
  program: { command, script, env, tools },
}: Workspace): readonly ServerDefinition[] {
  const onDisk = folders.filter(({ uri }) => uri.scheme === 'file');
  const rights = isTrusted ? ['--allow-run', ...tools] : [];
  return onDisk.map(({ name, uri }) => ({
    label: onDisk.length === 1 ? 'GEMM Explorer' : `GEMM Explorer: ${name}`,
    command,
    args: [script, '--root', uri.fsPath, ...rights],
    env,
    version: isTrusted ? `${version}+run` : version,
    cwd: uri,
  }));
}
