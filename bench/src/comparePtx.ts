/**
 * Compares memory accesses read from PTX with the accesses of the loop IR, as totals per kernel.
 * The kernels are generated from random specs with full tiles. Requires nvcc: node
 * out/bench/comparePtx.js [--count 100] [--from 0] [--arch sm_90] [--out bench/ptx-accesses.json]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compilePtx } from '../../src/host/nvcc';
import { findNvcc } from '../../src/host/toolchain';
import { provenance } from '../../scripts/grid/provenance';
import { compareWithIr } from '../../scripts/ptx/compare';
import { wholeTiles } from '../../scripts/ptx/kernels';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100' },
    from: { type: 'string', default: '0' },
    arch: { type: 'string', default: 'sm_90' },
    out: { type: 'string' },
  },
});

const found = await findNvcc();
if (!found.ok) throw new Error(`${found.why} ${found.next}`);
const { nvcc } = found;
const kernels = [];
let [sums, equal, unexplained] = [0, 0, 0];
for (const { seed, kernel } of wholeTiles(Number(values.from))) {
  if (kernels.length === Number(values.count)) break;
  const made = await compilePtx(kernel.source, { nvcc, arch: values.arch });
  if (!made.ok) {
    console.log(`seed ${seed}, ${kernel.specKey}: ${made.message}`);
    continue;
  }
  const { differences, limits, ...counted } = compareWithIr(
    kernel,
    readFileSync(made.path, 'utf8'),
  );
  sums += counted.sums;
  equal += counted.sums - differences.length;
  unexplained += differences.filter(({ why }) => why === '').length;
  kernels.push({ seed, kernel: kernel.specKey, ...counted, differences, limits });
  for (const difference of differences) {
    console.log(`seed ${seed}, ${kernel.specKey}: ${JSON.stringify(difference)}`);
  }
  for (const limit of limits) console.log(`seed ${seed}, ${kernel.specKey}: ${limit}`);
}
console.log(
  `${kernels.length} kernels, ${sums} totals: ${equal} equal, ${unexplained} unexplained`,
);
if (values.out !== undefined) {
  const command = `node out/bench/comparePtx.js --count ${values.count} --from ${values.from} --arch ${values.arch}`;
  const record = {
    what: 'Sectors and wavefronts of whole kernels, read from PTX and from the loop IR, by space, direction and matrix',
    ...provenance(command),
    compiler: `nvcc ${nvcc.build}`,
    arch: values.arch,
    sums,
    equal,
    unexplained,
    kernels,
  };
  writeFileSync(values.out, `${JSON.stringify(record, null, 1)}\n`);
}
process.exitCode = unexplained === 0 ? 0 : 1;
