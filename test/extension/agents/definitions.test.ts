/** The MCP servers that the extension announces. */
import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { definitionsOf, type Workspace } from '../../../src/extension/agents/definitions';
import { MCP_SERVERS } from '../../../src/extension/ids';
import manifest from '../../../package.json';

const folder = (path: string, scheme = 'file'): Workspace['folders'][number] => ({
  name: path.slice(1),
  uri: { scheme, fsPath: path } as vscode.Uri,
});

const workspace = (rest: Partial<Workspace>): Workspace => ({
  folders: [folder('/w')],
  isTrusted: true,
  version: '1.0.0',
  program: {
    command: '/bin/node',
    script: '/ext/dist/mcp.cjs',
    env: { ELECTRON_RUN_AS_NODE: '1' },
    tools: ['--nvcc', '/cuda/nvcc'],
  },
  ...rest,
});

describe('the MCP servers of a workspace', () => {
  it('may run kernels only in a trusted workspace, and are announced with another version', () => {
    const [trusted] = definitionsOf(workspace({}));
    const rights = ['--allow-run', '--nvcc', '/cuda/nvcc'];
    assert.deepEqual(trusted?.args, ['/ext/dist/mcp.cjs', '--root', '/w', ...rights]);
    const [restricted] = definitionsOf(workspace({ isTrusted: false }));
    assert.deepEqual(restricted?.args, ['/ext/dist/mcp.cjs', '--root', '/w']);
    assert.notEqual(trusted.version, restricted.version);
    assert.equal(trusted.label, restricted.label);
  });

  it('are one per folder on disk, with distinct labels', () => {
    const folders = [folder('/a'), folder('/b'), folder('/c', 'vscode-vfs')];
    const labels = definitionsOf(workspace({ folders })).map(({ label }) => label);
    assert.deepEqual(labels, ['GEMM Explorer: a', 'GEMM Explorer: b']);
    assert.deepEqual(definitionsOf(workspace({ folders: [] })), []);
  });

  it('have a provider in the manifest', () => {
    const { mcpServerDefinitionProviders: providers } = manifest.contributes;
    assert.deepEqual(
      providers.map(({ id }) => id),
      [MCP_SERVERS],
    );
  });
});
