/**
 * Pages for users: links, files, scripts, commands and examples of output. `UPDATE_DOCS=1` rewrites
 * the examples.
 */
import assert from 'node:assert/strict';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { IS_WHOLE } from '../helpers/depth';
import { page as reportPage } from '../core/profile/ncu/page';
import { cli, found, WITHOUT_TOOLS, type Ran } from './cli';
import { addRun, hasGit, repository } from './repository';
import {
  anchorsOf,
  commandsOf,
  fencesOf,
  linksOf,
  mostSimilar,
  PAGES,
  textOf,
  type Command,
} from './docPages';

/** Pages with commands of today; the reports quote commands of older records. */
const CURRENT = PAGES.filter(page => !page.startsWith('bench/reports/'));

describe('links of the documentation', () => {
  for (const page of PAGES) {
    it(`of ${page} have a file and an anchor`, () => {
      for (const link of linksOf(textOf(page))) {
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
        assert.ok(existsSync(target), `${page}: ${link} does not exist`);
        if (anchor !== undefined)
          assert.ok(anchorsOf(textOf(target)).has(anchor), `${page}: ${link} has no heading`);
      }
    });
  }
});

describe('files and scripts in the documentation', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };

  it('has the raw records that it names', () => {
    for (const page of PAGES)
      for (const [, file = ''] of textOf(page).matchAll(/`(bench\/[\w./-]+\.(?:jsonl?|txt))`/g))
        assert.ok(existsSync(file), `${page}: ${file}`);
  });

  it('names scripts that exist', () => {
    for (const page of CURRENT) {
      for (const [call, folder, name] of textOf(page).matchAll(
        /node out\/(scripts|bench)\/(\w+)\.js/g,
      )) {
        if (name === 'NAME' || page === 'bench/README.md') continue;
        const source = folder === 'bench' ? 'bench/src' : 'scripts';
        assert.ok(existsSync(`${source}/${name}.ts`), `${page}: ${call}`);
      }
      for (const [call, name = ''] of textOf(page).matchAll(/npm run ([\w:]+)/g))
        assert.ok(name in scripts, `${page}: ${call}`);
    }
  });

  it('keeps prose within 100 columns', () => {
    for (const page of CURRENT) {
      const prose = textOf(page).replace(/^( *)```.*\n[^]*?^\1```$/gm, '');
      for (const line of prose.split('\n')) {
        const isProse = !/^\s*(?:\||!\[|#|<|> )/.test(line) && line.trim().split(' ').length > 1;
        assert.ok(!isProse || line.length <= 100, `${page}: ${line}`);
      }
    }
  });

  it('has a README of at most 110 lines', () => {
    assert.ok(textOf('README.md').trimEnd().split('\n').length <= 110);
  });
});

/** Backends of this machine; a missing one ends a command with exit code 3. */
const TOOL_OF_BACKEND: Readonly<Record<string, string>> = { cpu: 'cxx', webgpu: 'webgpu' };
const NEEDS_NVCC = ['compile', 'inspect', 'ceilings', 'audit'];

/**
 * GPU, nvcc and Nsight Compute are hidden from commands that need them, so that they take no
 * minutes: they must accept their arguments, and exit with 3 and the name of the missing tool.
 */
const SLURM_OPTIONS = ['--slurm', '--attach', '--resume', '--cancel'];
const isOnSlurm = ({ args }: Command): boolean => args.some(arg => SLURM_OPTIONS.includes(arg));

const needsGpu = ({ args }: Command): boolean =>
  (NEEDS_NVCC.includes(args[0] ?? '') && !args.includes('--predict')) ||
  args[args.indexOf('--backend') + 1] === 'cuda';

/** A run of a machine that cannot be this one. */
const RUN = JSON.stringify({
  specKey: 'k',
  kernelKey: 'x',
  resolved: null,
  backend: 'cuda',
  outcome: 'unavailable',
  device: { name: 'H200', adapter: '9.0', driver: '1', where: 'cli' },
  verification: { reference: 'none', maxError: null, bound: null, mismatches: 0, samples: 0 },
});
const PROFILE = reportPage(
  { 'dram__bytes_read.sum': ['Kbyte', '32.77'], 'dram__bytes_write.sum': ['byte', '0'] },
  { name: 'gemm_naive(int)', block: '(32, 32, 1)', grid: '(32, 32, 1)', capability: '9.0' },
);

/** Fills a folder with every file that the commands of the pages read. */
function prepare(folder: string): void {
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  };
  cpSync('scripts/sample', path.join(folder, 'scripts/sample'), { recursive: true });
  for (const page of CURRENT)
    for (const { info, lines } of fencesOf(textOf(page)))
      if (info[1] !== undefined && ['json', 'csv'].includes(info[0] ?? ''))
        write(info[1], `${lines.join('\n')}\n`);
  write('runs.jsonl', `${RUN}\n`);
  write('bench/runs.jsonl', `${RUN}\n`);
  write('kernels/one.gemm.json', '{"problem":{"m":64,"n":64,"k":64}}');
  write('profile.csv', PROFILE);
  copyFileSync('bench/h200-source/naive.csv', path.join(folder, 'source.csv'));
  copyFileSync('test/fixtures/handWritten/gemmNaive.cu', path.join(folder, 'kernel.cu'));
}

/** Makes the folder a repository with the names of the pages, and one run per commit. */
function prepareCommits(folder: string): void {
  const { git, commit } = repository(folder);
  addRun(folder, 'k', 'one', 1);
  commit();
  git('tag', 'v1.0');
  git('checkout', '--quiet', '-b', 'my-branch');
  addRun(folder, 'k', 'two', 1);
  commit();
  git('checkout', '--quiet', 'main');
  addRun(folder, 'k', 'three', 1);
}

describe('commands in the documentation', function () {
  this.timeout(300_000);
  let folder = '';
  const has = new Map<string, boolean>();
  const ran = new Map<string, Promise<Ran>>();
  const rewritten = new Map<string, string>();

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'gemm-docs-'));
    prepare(folder);
    if (hasGit) prepareCommits(folder);
    for (const tool of Object.values(TOOL_OF_BACKEND)) has.set(tool, await found(tool));
  });
  after(() => {
    for (const [page, text] of rewritten) writeFileSync(page, text);
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (command: Command): Promise<Ran> => {
    const args = command.args.flatMap(arg => {
      const [inside, ending] = arg.split('*');
      if (inside === undefined || ending === undefined) return [arg];
      const names = readdirSync(path.join(folder, inside)).filter(name => name.endsWith(ending));
      return names.map(name => path.join(inside, name));
    });
    const key = JSON.stringify(args);
    const env = needsGpu(command) || isOnSlurm(command) ? WITHOUT_TOOLS : process.env;
    const running = ran.get(key) ?? cli(args, '', { cwd: folder, env });
    ran.set(key, running);
    return running;
  };

  const commands = CURRENT.flatMap(page => commandsOf(page, textOf(page)));
  // A sample runs each CLI command once per page. Later lines of a page vary its options.
  const isFirst = ({ page, args }: Command, index: number): boolean =>
    commands.findIndex(other => other.page === page && other.args[0] === args[0]) === index;
  for (const command of IS_WHOLE || process.env['UPDATE_DOCS'] !== undefined
    ? commands
    : commands.filter(isFirst)) {
    it(`runs ${command.page}: ${command.line}`, async () => {
      const { code, stdout, stderr } = await run(command);
      if (command.args[0] === 'regress' && !hasGit) {
        assert.equal(code, 3, stderr);
        return;
      }
      const tool = TOOL_OF_BACKEND[command.args[command.args.indexOf('--backend') + 1] ?? ''];
      if (isOnSlurm(command)) {
        // A job that was not submitted from this folder is unusable input.
        const isSubmission = command.args.includes('--slurm');
        assert.equal(code, isSubmission ? 3 : 2, stderr);
        assert.match(stderr, isSubmission ? /Slurm is not available/ : /No job/);
        return;
      }
      if (needsGpu(command)) {
        assert.equal(code, 3, stderr);
        assert.match(stdout + stderr, /nvcc|NVIDIA|CUDA/);
        return;
      }
      assert.equal(code, tool === undefined || has.get(tool) === true ? command.exit : 3, stderr);
      const printed = new Set(stdout.split('\n').map(line => line.trimEnd()));
      for (const line of command.output) {
        if (printed.has(line)) continue;
        assert.ok(process.env['UPDATE_DOCS'] !== undefined, `not printed: ${line}`);
        const text = rewritten.get(command.page) ?? textOf(command.page);
        rewritten.set(
          command.page,
          text.replace(line, () => mostSimilar(line, printed)),
        );
      }
    });
  }

  it('covers every command of the CLI', async () => {
    const help = await cli(['--help']);
    const [, names = ''] = /USAGE gemm-explorer ([\w|]+)/.exec(help.stdout) ?? [];
    const shown = new Set(commands.map(({ args }) => args[0]));
    assert.deepEqual(
      names.split('|').filter(name => !shown.has(name)),
      [],
    );
  });
});
