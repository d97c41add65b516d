/**
 * Random specs and all that must hold of them. One, with the smallest spec that fails as it does:
 *   node out/scripts/draw.js --seed 17
 * Many, recorded:
 *   node out/scripts/draw.js --count 50000 [--from 0] [--out bench/draws-simulate.json]
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { draw, replay, specFailures } from './grid/draws';
import { provenance } from './grid/provenance';
import { shrink } from './grid/shrink';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '0' },
    count: { type: 'string', default: '1000' },
    out: { type: 'string' },
  },
});

async function one(seed: number): Promise<boolean> {
  const drawn = await draw(seed);
  const { spec, failures, kernels } = drawn;
  if (failures.length === 0) {
    const names = kernels.map(({ fileName }) => fileName).join(', ') || 'illegal for every target';
    console.log(`seed ${seed}: all holds; ${names}\n${JSON.stringify(spec, null, 2)}`);
    return true;
  }
  console.log(replay(drawn));
  const smallest = await shrink(spec, async other => (await specFailures(other, true)).length > 0);
  const reasons = await specFailures(smallest, true);
  console.log(['smallest that fails:', JSON.stringify(smallest), ...reasons].join('\n'));
  return false;
}

async function many(from: number, count: number): Promise<boolean> {
  const began = performance.now();
  const legal = { cuda: 0, wgsl: 0 };
  const failed: string[] = [];
  let illegal = 0;
  for (let seed = from; seed < from + count; seed++) {
    const drawn = await draw(seed);
    if (drawn.failures.length > 0) failed.push(replay(drawn));
    else if (drawn.kernels.length === 0) illegal++;
    for (const { target } of drawn.kernels) legal[target]++;
    if ((seed - from + 1) % 1000 === 0)
      console.log(`${seed - from + 1} of ${count}, ${failed.length} failed`);
  }
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log([...failed, `${count} draws: ${failed.length} failed, ${seconds} s`].join('\n'));
  if (values.out === undefined) return failed.length === 0;
  const record = {
    what: 'Random specs: legal ones right in simulate, analysed and emitted twice; illegal ones named and healed',
    ...provenance(`node out/scripts/draw.js --count ${count} --from ${from}`),
    ...{ from, count, legal, illegal, seconds, failed },
  };
  writeFileSync(values.out, `${JSON.stringify(record, null, 1)}\n`);
  return failed.length === 0;
}

const holds =
  values.seed === undefined
    ? await many(Number(values.from), Number(values.count))
    : await one(Number(values.seed));
process.exitCode = holds ? 0 : 1;
