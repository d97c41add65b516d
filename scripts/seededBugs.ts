import { allSeeds, rowsOf } from './bugs/table';
const t = performance.now();
const seeds = allSeeds();
console.log(seeds.length);
const rows = await rowsOf(seeds);
for (const r of rows) if (process.argv[2] === 'all' || r.cpu === null || r.simulate === null) console.log(`${r.cpu === null && r.simulate === null ? 'XX' : ''}`, r.algorithm, '|', r.bug, '|', r.place, '|', r.simulate, '|', r.cpu);
console.log((performance.now() - t)/1000);
