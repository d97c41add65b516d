/**
 * The test's own extension beside ours: has the canary command that hostile links name, and does
 * what the driver asks for over a port of this machine, so that no file name has to be typed.
 */
import { execFile } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { applyFixes, hoverPlaces, lensCommands } from './documents';
import { watchExtensionHost } from './hook';
import type { Control, Place, RequestName, Requests } from './protocol';

type Answers = {
  readonly [Name in RequestName]: (ask: Requests[Name]['ask']) => Promise<Requests[Name]['answer']>;
};

const folder = process.env['GEMM_RECORDS'] ?? '';
const ended = new Set<number>();
let jobs = 0;

function begin(work: () => Thenable<unknown>): number {
  const job = ++jobs;
  const end = (): void => {
    ended.add(job);
  };
  work().then(end, end);
  return job;
}

const uriOf = (path: string): vscode.Uri => {
  const [workspace] = vscode.workspace.workspaceFolders ?? [];
  if (workspace === undefined) throw new Error('No folder is open.');
  return vscode.Uri.joinPath(workspace.uri, path);
};

async function control(asked: Control): Promise<void> {
  switch (asked.kind) {
    case 'process':
      await new Promise(done => execFile(asked.program, ['control'], done));
      return;
    case 'write':
      writeFileSync(asked.file, 'control');
      return;
    case 'request':
      await new Promise(done => get(asked.url, done).once('error', done));
      return;
    case 'notification':
      void vscode.window.showWarningMessage(asked.text);
      return;
    case 'hover': {
      const provider = {
        provideHover: () => new vscode.Hover(new vscode.MarkdownString(asked.text)),
      };
      vscode.languages.registerHoverProvider({ scheme: 'untitled' }, provider);
      const document = await vscode.workspace.openTextDocument({ content: 'control' });
      await vscode.window.showTextDocument(document);
    }
  }
}

async function startTasks(label: string): Promise<readonly string[]> {
  const all = await vscode.tasks.fetchTasks();
  const own = all.filter(task => task.source === 'Workspace' && task.name.includes(label));
  for (const task of own) begin(() => vscode.tasks.executeTask(task));
  return own.map(({ name }) => name);
}

const answers: Answers = {
  open: async ({ path }) => {
    try {
      const document = await vscode.workspace.openTextDocument(uriOf(path));
      await vscode.window.showTextDocument(document, {
        preview: true,
        viewColumn: vscode.ViewColumn.One,
      });
      return { opened: true };
    } catch {
      // Binary and oversized files have no text editor.
      return { opened: false };
    }
  },
  hovers: ({ path, most }) => hoverPlaces(uriOf(path), most),
  hover: async ({ line, character }: Place) => {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) throw new Error('No editor is active.');
    const position = new vscode.Position(line, character);
    editor.selection = new vscode.Selection(position, position);
    editor.revealRange(new vscode.Range(position, position));
    await vscode.commands.executeCommand('editor.action.showHover', { focus: 'noAutoFocus' });
    return null;
  },
  start: ({ command, path }) => {
    const args = path === undefined ? [] : [uriOf(path)];
    return Promise.resolve({ job: begin(() => vscode.commands.executeCommand(command, ...args)) });
  },
  lenses: async ({ path }) =>
    (await lensCommands(uriOf(path))).map(({ command, arguments: args }) =>
      begin(() => vscode.commands.executeCommand(command, ...((args ?? []) as unknown[]))),
    ),
  fixes: async ({ path, most }) => ({ applied: await applyFixes(uriOf(path), most) }),
  job: ({ job }) => Promise.resolve({ ended: ended.has(job) }),
  workbench: async ({ command }) => {
    await vscode.commands.executeCommand(command);
    return null;
  },
  rulers: () =>
    Promise.resolve(vscode.workspace.getConfiguration('editor').get<unknown[]>('rulers', [])),
  trusted: () => Promise.resolve(vscode.workspace.isTrusted),
  tasks: ({ label }) => startTasks(label),
  control: async asked => {
    await control(asked);
    return null;
  },
};

export function activate(context: vscode.ExtensionContext): void {
  watchExtensionHost();
  const canary = vscode.commands.registerCommand('evil.canary', (id: unknown) => {
    appendFileSync(join(folder, 'commands.jsonl'), `${JSON.stringify(id)}\n`);
  });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { name, ask } = JSON.parse(Buffer.concat(chunks).toString()) as {
        name: RequestName;
        ask: never;
      };
      answers[name](ask).then(
        answer => response.end(JSON.stringify({ answer })),
        (error: unknown) => response.end(JSON.stringify({ error: String(error) })),
      );
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address !== null)
      writeFileSync(join(folder, 'port'), String(address.port));
  });
  context.subscriptions.push(canary, { dispose: () => server.close() });
}
