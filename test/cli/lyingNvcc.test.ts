/**
 * An nvcc that reports nothing, or what cannot be: resources are unknown, and no answer is made of
 * it.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { fakeProgram } from '../host/support';
import { cli, inFolder, spec, type Ran } from './cli';

const LYING = 'Used 99999999999999999999 registers, -5 bytes smem';
const body = (report: string): string => `
if (args.includes('--version')) { console.log('Cuda compilation tools, release 13.0, V13.0.88'); process.exit(0); }
fs.writeFileSync(args[args.indexOf('-o') + 1], '\\x7fELF cubin');
const source = fs.readFileSync(args.at(-1), 'utf8');
const name = /__global__ void(?:\\s+__launch_bounds__\\([^)]*\\))?\\s+(\\w+)/.exec(source)?.[1] ?? 'none';
${report}`;
const silent = body('');
const lying = body(
  `console.error("ptxas info    : Compiling entry function '" + name + "' for 'sm_90'\\nptxas info    : ${LYING}");`,
);

describe('an nvcc with an invalid ptxas report', () => {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  const on = async (nvcc: string, args: readonly string[], check: (ran: Ran) => void) => {
    await inFolder(async folder => {
      fakeProgram(folder, 'nvcc', nvcc);
      const PATH = `${folder}:${process.env['PATH'] ?? ''}`;
      const XDG_CACHE_HOME = path.join(folder, 'cache');
      const env = { ...process.env, CUDA_PATH: '', CUDA_HOME: '', PATH, XDG_CACHE_HOME };
      check(await cli(args, spec(undefined, { targets: ['cuda'] }), { env }));
    });
  };

  it('makes compile exit with 3 and a message', async () => {
    await on(silent, ['compile', '-', '--json'], ({ code, stdout, stderr }) => {
      assert.equal(code, 3, stderr);
      assert.match(stderr, /nvcc printed no ptxas report/);
      assert.doesNotMatch(stdout, /"kernels"/);
    });
    await on(lying, ['compile', '-', '--json'], ({ code, stderr }) => {
      assert.equal(code, 3, stderr);
      assert.match(stderr, /ptxas reported invalid resources of \w+: .*99999999/);
    });
  });

  it('makes analyze use estimated registers with a note', async () => {
    for (const nvcc of [silent, lying]) {
      await on(nvcc, ['analyze', '-', '--json'], ({ code, stdout, stderr }) => {
        assert.equal(code, 0, stderr);
        assert.match(
          stderr,
          /are estimated: (?:nvcc printed no ptxas report|ptxas reported invalid resources)/,
        );
        const { occupancy } = JSON.parse(stdout) as {
          occupancy: { registers: { value: number; from: string } };
        };
        assert.notEqual(occupancy.registers.from, 'compiler');
        assert.ok(occupancy.registers.value > 0);
      });
    }
  });
});
