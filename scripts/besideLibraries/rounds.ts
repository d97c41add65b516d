/** Everyone once a round at every size, each round begun by another: drift of the machine favours nobody. */
import { loadavg } from 'node:os';
import type { Answer, Job, ProductJob, WallPatience } from './job';
import type { BesideRecord, Round, Runs } from './record';

export interface Entrant {
  readonly name: string;
  readonly at: (size: number) => ProductJob['entrant'];
}

export interface Asked {
  readonly entrants: readonly Entrant[];
  readonly sizes: readonly number[];
  readonly rounds: number;
  readonly patience: WallPatience;
  readonly ask: (job: Job) => Promise<Answer>;
  readonly say: (text: string) => void;
}

/** In the order of a round. */
export const turned = <T>(all: readonly T[], round: number): readonly T[] => {
  const first = all.length === 0 ? 0 : round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
};

export async function runRounds(asked: Asked): Promise<Pick<BesideRecord, 'runs' | 'failed'>> {
  const { entrants, sizes, rounds, patience, ask, say } = asked;
  const found = new Map<string, Round[]>();
  const failed: BesideRecord['failed'] = [];
  for (let round = 0; round < rounds; round++) {
    for (const size of sizes) {
      for (const { name, at } of turned(entrants, round)) {
        const [load = 0] = loadavg();
        const answer = await ask({ type: 'products', size, patience, entrant: at(size) });
        const where = `round ${round + 1} of ${rounds}, ${size}, ${name}`;
        if (answer.type === 'timed') {
          const { times } = answer;
          const key = `${name} ${size}`;
          found.set(key, [...(found.get(key) ?? []), { round, load, times }]);
          const best = Math.min(...times.wall.timesMs);
          say(`${where}: ${best.toFixed(3)} ms at best, load ${load.toFixed(1)}`);
        } else {
          const why = answer.type === 'failed' ? answer.why : 'It answered another question.';
          failed.push({ entrant: name, size, round, why });
          say(`${where}: ${why}`);
        }
      }
    }
  }
  const runs = sizes.flatMap(size =>
    entrants.map(({ name }): Runs => ({
      entrant: name,
      size,
      rounds: found.get(`${name} ${size}`) ?? [],
    })),
  );
  return { runs, failed };
}
