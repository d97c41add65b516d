/**
 * The examples for CI: each step of the workflow that needs no GPU runs in a sample project, and
 * the hooks run for real commits.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as v from 'valibot';
import { CLI, found, WITHOUT_TOOLS } from './cli';

const required = createRequire(import.meta.url);
/** The YAML parser of mocha, because the project has none of its own. */
const yaml = createRequire(required.resolve('mocha'))('js-yaml') as {
  readonly load: (text: string) => unknown;
};

const step = v.object({
  name: v.optional(v.string()),
  uses: v.optional(v.string()),
  run: v.optional(v.string()),
  with: v.optional(v.record(v.string(), v.unknown())),
});
const job = v.object({
  'runs-on': v.union([v.string(), v.array(v.string())]),
  if: v.optional(v.string()),
  needs: v.optional(v.string()),
  steps: v.array(step),
});
const workflow = v.parse(
  v.object({ permissions: v.unknown(), jobs: v.strictObject({ check: job, gate: job }) }),
  yaml.load(readFileSync('docs/ci/gemm.yml', 'utf8')),
);
const hooks = v.parse(
  v.object({
    repos: v.tuple([
      v.object({
        repo: v.literal('local'),
        hooks: v.array(
          v.object({
            id: v.string(),
            entry: v.string(),
            files: v.string(),
            language: v.literal('system'),
            pass_filenames: v.optional(v.boolean()),
          }),
        ),
      }),
    ]),
  }),
  yaml.load(readFileSync('docs/ci/pre-commit-config.yaml', 'utf8')),
).repos[0].hooks;

const SPEC = { problem: { m: 64, n: 64, k: 32 }, schedule: { algorithm: 'thread-tile-2d' } };
const ILLEGAL = { ...SPEC, schedule: { algorithm: 'thread-tile-2d', thread: { m: 7, n: 3 } } };

describe('the examples for CI', function () {
  this.timeout(120_000);
  let folder = '';
  let environment: NodeJS.ProcessEnv = {};

  const write = (file: string, content: unknown): void => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  };
  const shell = (script: string, env = environment) =>
    spawnSync('bash', ['-e', '-c', script], { cwd: folder, env, encoding: 'utf8' });
  const git = (...args: readonly string[]) =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
    });
  const kernels = (ending: string): string =>
    path.join(
      'kernels',
      readdirSync(path.join(folder, 'kernels')).find(name => name.endsWith(ending)) ?? '',
    );

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'gemm-ci-'));
    const bin = path.join(folder, '.bin');
    mkdirSync(bin);
    symlinkSync(CLI, path.join(bin, 'gemm-explorer'));
    symlinkSync(process.cwd(), path.join(folder, '.gemm-explorer'));
    // Git exports its own variables to hooks, which must not come from the caller of this test.
    const outer = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
    const node = path.dirname(process.execPath);
    environment = {
      ...Object.fromEntries(outer),
      PATH: [bin, node, process.env['PATH']].join(path.delimiter),
    };
    write('specs/one.gemm.json', SPEC);
    write('specs/two.gemm.json', { ...SPEC, problem: { m: 33, n: 20, k: 7 } });
    const made = shell('gemm-explorer generate specs/*.gemm.json --out kernels');
    assert.equal(made.status, 0, made.stderr);
    const run = shell('gemm-explorer run specs/one.gemm.json --backend simulate --json');
    assert.equal(run.status, 0, run.stderr);
    write('gate/runs.jsonl', run.stdout);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const stepNamed = (name: string): string =>
    workflow.jobs.check.steps.find(one => one.name === name)?.run ?? assert.fail(name);

  describe('the workflow', () => {
    it('has steps without a GPU that succeed in an up-to-date project', async () => {
      const hasCompiler = await found('cxx');
      const steps = workflow.jobs.check.steps.filter(({ run }) => run !== undefined);
      assert.equal(steps.length, 5);
      for (const { name = '', run = '' } of steps) {
        if (name === 'Build the CLI') continue;
        const ran = shell(run);
        const expected = run.includes('--backend cpu') && !hasCompiler ? 3 : 0;
        assert.equal(ran.status, expected, `${name}: ${ran.stdout}${ran.stderr}`);
      }
      const capsules = readdirSync(path.join(folder, 'capsules'));
      assert.deepEqual(capsules, ['one.html', 'two.html']);
    });

    it('builds the CLI with scripts of the package', () => {
      const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
        readonly scripts: Readonly<Record<string, string>>;
      };
      assert.equal(stepNamed('Build the CLI'), 'npm ci && npm run build');
      assert.ok('build' in scripts);
    });

    const FAULTS: readonly (readonly [step: string, fault: string, make: () => void])[] = [
      [
        'Check the specs',
        'a spec is illegal',
        () => {
          write('specs/two.gemm.json', ILLEGAL);
        },
      ],
      [
        'Check the specs',
        'a spec is not JSON',
        () => {
          write('specs/two.gemm.json', '{');
        },
      ],
      [
        'Check that the kernels are up to date',
        'a spec changed',
        () => {
          write('specs/two.gemm.json', { ...SPEC, problem: { m: 128, n: 64, k: 32 } });
        },
      ],
      [
        'Check that the kernels are up to date',
        'a kernel was edited',
        () => {
          appendFileSync(path.join(folder, kernels('.cu')), '// edited\n');
        },
      ],
      [
        'Check that the kernels are up to date',
        'a kernel is missing',
        () => {
          rmSync(path.join(folder, kernels('.wgsl')));
        },
      ],
      [
        'Check the recorded runs',
        'a line is not a run',
        () => {
          write('gate/runs.jsonl', 'not a run\n');
        },
      ],
    ];
    for (const [name, fault, make] of FAULTS)
      it(`fails in the step "${name}" if ${fault}`, () => {
        make();
        const ran = shell(stepNamed(name));
        assert.ok(
          ran.status === 1 || ran.status === 2,
          `${ran.status}: ${ran.stdout}${ran.stderr}`,
        );
        assert.notEqual(ran.stdout + ran.stderr, '');
      });

    it('runs the gate only on a runner with a GPU, and not for forks', () => {
      const { gate } = workflow.jobs;
      assert.match(gate.if ?? '', /vars\.GEMM_GPU == 'true'/);
      assert.match(gate.if ?? '', /head\.repo\.full_name == github\.repository/);
      assert.deepEqual([gate.needs, gate['runs-on']], ['check', ['self-hosted', 'gpu']]);
      const command = gate.steps.find(one => one.name === 'Compare with the recorded runs')?.run;
      const ran = shell(command ?? '', {
        ...WITHOUT_TOOLS,
        PATH: path.dirname(process.execPath),
      });
      assert.equal(ran.status, 3, ran.stderr);
    });
  });

  describe('the git hook', () => {
    beforeEach(() => {
      assert.equal(git('init', '-q').status, 0);
      const hook = path.join(folder, '.git', 'hooks', 'pre-commit');
      mkdirSync(path.dirname(hook), { recursive: true });
      copyFileSync('docs/ci/pre-commit', hook);
      chmodSync(hook, 0o755);
      write('.gitignore', '.gemm-explorer\n.bin\n');
      git('add', '-A');
    });
    const commits = (): number => Number(git('rev-list', '--count', '--all').stdout.trim() || '0');

    it('accepts legal specs with up-to-date kernels', () => {
      const ran = git('commit', '-qm', 'first');
      assert.equal(ran.status, 0, ran.stdout + ran.stderr);
      assert.equal(commits(), 1);
    });

    for (const [name, breakIt, reason] of [
      [
        'an illegal spec',
        () => {
          write('specs/one.gemm.json', ILLEGAL);
        },
        /not legal/,
      ],
      [
        'a spec without its kernels',
        () => {
          write('specs/one.gemm.json', { ...SPEC, problem: { m: 96, n: 64, k: 32 } });
        },
        /missing/,
      ],
      [
        'an edited kernel',
        () => {
          appendFileSync(path.join(folder, kernels('.wgsl')), '// edited\n');
        },
        /edited/,
      ],
    ] as const)
      it(`refuses ${name}, also if only the working tree is correct`, () => {
        const before = readFileSync(path.join(folder, 'specs/one.gemm.json'), 'utf8');
        const kernel = kernels('.wgsl');
        const text = readFileSync(path.join(folder, kernel), 'utf8');
        breakIt();
        git('add', '-A');
        write('specs/one.gemm.json', before);
        write(kernel, text);
        const ran = git('commit', '-qm', 'broken');
        assert.notEqual(ran.status, 0);
        assert.match(ran.stdout + ran.stderr, reason);
        assert.equal(commits(), 0);
      });

    it('does not run for a commit without specs and kernels', () => {
      git('commit', '-qm', 'first');
      write('notes.txt', 'notes');
      git('add', 'notes.txt');
      rmSync(path.join(folder, '.bin', 'gemm-explorer'));
      const ran = git('commit', '-qm', 'notes');
      assert.equal(ran.status, 0, ran.stderr);
      assert.equal(commits(), 2);
    });
  });

  describe('the configuration of pre-commit', () => {
    /** Runs a hook as pre-commit does: with the names of the matching files, or without names. */
    const runHook = (
      { entry, pass_filenames = true }: (typeof hooks)[number],
      files: readonly string[],
    ) => shell(`${entry} ${pass_filenames ? files.join(' ') : ''}`);
    const FILES = ['specs/one.gemm.json', 'specs/two.gemm.json', 'kernels/x.cu', 'README.md'];

    it('has hooks for specs and for kernels that succeed in an up-to-date project', () => {
      assert.deepEqual(
        hooks.map(({ id }) => id),
        ['gemm-check', 'gemm-generated'],
      );
      const matched = hooks.map(({ files }) => FILES.filter(file => new RegExp(files).test(file)));
      assert.deepEqual(matched, [FILES.slice(0, 2), FILES.slice(0, 3)]);
      for (const [index, hook] of hooks.entries()) {
        const ran = runHook(hook, matched[index] ?? []);
        assert.equal(ran.status, 0, ran.stdout + ran.stderr);
      }
    });

    it('has hooks that fail for an illegal spec and for outdated kernels', () => {
      write('specs/two.gemm.json', ILLEGAL);
      for (const hook of hooks) assert.notEqual(runHook(hook, ['specs/two.gemm.json']).status, 0);
    });
  });
});
