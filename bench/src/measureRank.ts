/**
 * Measures planning, scoring and ranking of many schedules on one core and records the times:
 * node out/bench/measureRank.js [count] [out.json]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { rank } from '../../src/core/search/rank/rank';
import { schedulesOf } from '../../src/core/search/rank/space';
import { resolve } from '../../src/core/defaults/resolve';
import { provenance } from '../../scripts/grid/provenance';

const [countText = '100000', out = 'bench/rank.json'] = process.argv.slice(2);
const TIMES = 5;
const BEST = 16;

/**
 * Returns the CPU time of this thread in milliseconds, which Linux counts in steps of 10 ms. Wall
 * time would include waiting for other processes.
 */
function cpuMs(): number {
  const [user = NaN, system = NaN] =
    readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8')
      .split(') ')[1]
      ?.split(' ')
      .slice(11, 13)
      .map(Number) ?? [];
  return (user + system) * 10;
}

const spec = resolve({ problem: { m: 4096, n: 4096, k: 4096 } });
const schedules = [...schedulesOf(spec.problem)].slice(0, Number(countText));
const runs = Array.from({ length: TIMES }, () => {
  const [began, cpuBegan] = [performance.now(), cpuMs()];
  const result = rank(spec, BEST, schedules);
  if ('why' in result) throw new Error(result.why);
  return { ms: Math.round(performance.now() - began), cpuMs: cpuMs() - cpuBegan, ...result };
});
const [first] = runs;
const record = {
  what: 'Planning, scoring (closed-form time model) and ranking of schedules, f32, 4096 x 4096 x 4096, H200, one thread. Only the first run starts in a fresh process.',
  ...provenance(`node out/bench/measureRank.js ${countText} ${out}`),
  loadAverage: loadavg().map(load => Number(load.toFixed(2))),
  planned: first?.planned,
  scored: first?.scored,
  ms: runs.map(({ ms }) => ms),
  cpuMs: runs.map(run => run.cpuMs),
  best: first?.best.slice(0, 3),
};
writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
console.log(
  `${record.planned} planned, ${record.scored} scored: wall time ${record.ms.join(', ')} ms, CPU time of this thread ${record.cpuMs.join(', ')} ms`,
);
