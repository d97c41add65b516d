/**
 * Hostile configuration of a workspace: dispatch tables, settings, tasks, and programs with the
 * names of tools.
 */
import { commandUri, touch, type HostileFile, type Traps } from './entry';
import { SPEC, specText } from './kernels';
import { textPayloads } from './payloads';

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** Folders at several levels, each with a table and a spec that asks it. */
export function hostileDispatch(traps: Traps): readonly HostileFile[] {
  const tables: readonly (readonly [
    name: string,
    content: (id: string) => HostileFile['content'],
  ])[] = [
    ['link-field', id => json({ version: 1, rows: [], [`[Repair](${commandUri(id)})`]: 1 })],
    [
      'device',
      id => json({ version: 1, rows: [{ device: `![p](http://${traps.authority}/${id})` }] }),
    ],
    ['record', id => json({ version: 1, rows: [{ source: { record: `../../../../etc/${id}` } }] })],
    ['torn', id => `{"version":1,"rows":[${touch(traps, id)}`],
    ['proto', () => '{"__proto__":{"rows":[]},"version":1}'],
    ['large', () => json({ version: 1, rows: Array.from({ length: 2_000 }, (_, i) => ({ i })) })],
    ['link', () => ({ target: '/etc/passwd' })],
    ['loop', () => ({ target: 'dispatch.json' })],
    ['pipe', () => ({ fifo: true })],
  ];
  return tables.flatMap(([name, content], level): HostileFile[] => {
    const id = `dispatch-${name}`;
    const folder = `tables/${Array.from({ length: level }, (_, i) => `level${i}`).join('/')}/${name}`;
    const at = folder.replace('//', '/');
    const category = 'dispatch';
    return [
      { id, category, path: `${at}/.gemm/dispatch.json`, content: content(id) },
      { id: `${id}-asks`, category, path: `${at}/asks-${name}.gemm.json`, content: specText(SPEC) },
    ];
  });
}

export const OUTSIDE = '../../outside';

export function hostileSettings(traps: Traps): readonly HostileFile[] {
  const program = './bin/nvcc';
  const all: readonly (readonly [name: string, settings: Readonly<Record<string, unknown>>])[] = [
    ['nvcc-path', { 'gemm.nvcc.path': program }],
    [
      'nvcc-absolute',
      { 'gemm.nvcc.path': '${workspaceFolder}/bin/nvcc', 'gemm.cuda.compiler': 'nvrtc' },
    ],
    ['output-up', { 'gemm.outputFolder': OUTSIDE }],
    ['output-absolute', { 'gemm.outputFolder': `${traps.canaries}/output-absolute` }],
    ['output-dots', { 'gemm.outputFolder': 'gemm/../../../outside' }],
    ['output-vscode', { 'gemm.outputFolder': '.vscode' }],
    ['output-git', { 'gemm.outputFolder': '.git/hooks' }],
    ['output-link', { 'gemm.outputFolder': 'way-out' }],
    ['output-home', { 'gemm.outputFolder': '~/.ssh' }],
    ['output-shell', { 'gemm.outputFolder': `$(${touch(traps, 'output-shell')})` }],
    ['output-markdown', { 'gemm.outputFolder': `[Repair](${commandUri('output-markdown')})` }],
    ['device', { 'gemm.device': textPayloads('device', traps)[3] }],
    [
      'wrong-types',
      {
        'gemm.outputFolder': ['a'],
        'gemm.compileTimeoutSeconds': '1e9',
        'gemm.codeLens.enabled': 'x',
      },
    ],
    ['tasks-on', { 'task.allowAutomaticTasks': 'on', 'gemm.compileOnSave': true }],
    ['environment', { 'terminal.integrated.env.linux': { PATH: '${workspaceFolder}/bin' } }],
  ];
  return all.map(([name, settings], index): HostileFile => {
    const id = `settings-${name}`;
    // The rulers show when the editor has taken the file over.
    const content = json({ 'editor.rulers': [1000 + index], ...settings });
    return { id, category: 'settings', path: '.vscode/settings.json', content, turn: true };
  });
}

export function hostileTasks(traps: Traps): readonly HostileFile[] {
  const onOpen = { runOptions: { runOn: 'folderOpen' } };
  const gemm = (id: string, more: object): object => ({
    type: 'gemm',
    action: 'verify',
    label: id,
    problemMatcher: [],
    ...more,
  });
  const all: readonly (readonly [name: string, tasks: (id: string) => readonly object[]])[] = [
    ['folder-open', id => [gemm(id, { file: 'specs/ok.gemm.json', backend: 'cpu', ...onOpen })]],
    ['shell-open', id => [{ type: 'shell', label: id, command: touch(traps, id), ...onOpen }]],
    ['process-open', id => [{ type: 'process', label: id, command: './bin/nvcc', ...onOpen }]],
    ['outside', id => [gemm(id, { file: '../../secret.cu' })]],
    ['absolute', id => [gemm(id, { file: '/etc/passwd', action: 'compile' })]],
    ['shell-name', id => [gemm(id, { file: `$(${touch(traps, id)}).cu`, action: 'compile' })]],
    ['link-label', id => [gemm(`[${id}](${commandUri(id)})`, { file: 'x.cu' })]],
    ['backend', id => [gemm(id, { file: 'specs/ok.gemm.json', backend: './bin/node' })]],
    ['action', id => [gemm(id, { file: 'specs/ok.gemm.json', action: touch(traps, id) })]],
    ['pipe', id => [gemm(id, { file: '.gemm/runs/run-pipe.jsonl' })]],
    ['terminal', id => [gemm(id, { file: '\u001b]0;title\u0007\u001b[2J.cu' })]],
  ];
  return all.map(([name, tasks]): HostileFile => {
    const id = `task-${name}`;
    const content = json({ version: '2.0.0', tasks: tasks(id) });
    return { id, category: 'tasks', path: '.vscode/tasks.json', content, turn: true };
  });
}

const PROGRAMS = [
  'nvcc',
  'nvidia-smi',
  'ncu',
  'g++',
  'clang++',
  'node',
  'cuobjdump',
  'nvdisasm',
  'sh',
];

/** Scripts with the names of the tools: in the root, in ./bin and in node_modules/.bin. */
export const hostilePrograms = (traps: Traps): readonly HostileFile[] =>
  ['', 'bin/', 'node_modules/.bin/'].flatMap(folder =>
    PROGRAMS.map((name): HostileFile => {
      const id = `program-${folder.replaceAll('/', '-')}${name.replaceAll('+', 'p')}`;
      const content = `#!/bin/sh\n${touch(traps, id)}\nexit 0\n`;
      return { id, category: 'programs', path: `${folder}${name}`, content, mode: 0o755 };
    }),
  );
