/**
 * Times every entrant once per round and size. The starting entrant rotates, so that drift of the
 * machine's speed averages out.
 */
import { median } from '../../../src/core/measure/statistics';
import type {
  Answer,
  Job,
  ProductJob,
  Times,
  WallPatience,
} from '../../../scripts/besideLibraries/job';
import type { BesideRecord, Round, Runs } from '../../../scripts/besideLibraries/record';
import type { Size } from '../../../scripts/besideLibraries/size';

export interface Entrant {
  readonly name: string;
  readonly at: (size: Size) => ProductJob['entrant'];
}

export interface Asked {
  readonly entrants: readonly Entrant[];
  readonly sizes: readonly Size[];
  readonly rounds: number;
  readonly patience: WallPatience;
  /**
   * Maximum fraction of all processors that other processes may use. Above it, a measurement is
   * repeated up to `repeats` times.
   */
  readonly mostOthers: number;
  readonly repeats: number;
  readonly quiet: () => Promise<void>;
  readonly ask: (job: Job) => Promise<Answer>;
  readonly say: (text: string) => void;
}

type Found = Pick<BesideRecord, 'rounds' | 'runs' | 'failed' | 'disturbed'>;

/** Rotates the entrants, so that each round starts with the next entrant. */
export const turned = <T>(all: readonly T[], round: number): readonly T[] => {
  const first = all.length === 0 ? 0 : round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
};

/** Yields all results so far after each round, so that an interruption loses at most one round. */
export async function* runRounds(asked: Asked): AsyncGenerator<Found> {
  const { entrants, sizes, rounds, say } = asked;
  const found = new Map<string, Round[]>();
  const failed: BesideRecord['failed'] = [];
  const disturbed: BesideRecord['disturbed'] = [];
  for (let round = 0; round < rounds; round++) {
    for (const size of sizes) {
      for (const entrant of turned(entrants, round)) {
        const { name } = entrant;
        const where = { entrant: name, size, round };
        const result = await undisturbed(asked, entrant, size, others => {
          disturbed.push({ ...where, others });
        });
        const prefix = `round ${round + 1} of ${rounds}, size ${size}, ${name}`;
        if ('why' in result) {
          failed.push({ ...where, why: result.why });
          say(`${prefix}: ${result.why}`);
        } else {
          const key = `${name} ${size}`;
          found.set(key, [...(found.get(key) ?? []), { round, times: result }]);
          const { wall, others } = result;
          say(
            `${prefix}: ${median(wall.timesMs).toFixed(3)} ms per GEMM; other processes used ${percent(others)} of the processors`,
          );
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
    yield { rounds: round + 1, runs, failed: [...failed], disturbed: [...disturbed] };
  }
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

/**
 * Repeats a measurement while other processes use more than `mostOthers`, up to `repeats` times.
 * Returns the last measurement, or the first failure.
 */
async function undisturbed(
  { patience, ask, mostOthers, repeats, quiet, say }: Asked,
  { name, at }: Entrant,
  size: Size,
  disturb: (others: number) => void,
): Promise<Times | { readonly why: string }> {
  for (let left = repeats; ; left--) {
    await quiet();
    const answer = await ask({ type: 'products', size, patience, entrant: at(size) });
    if (answer.type === 'failed') return answer;
    if (answer.type !== 'timed')
      return { why: 'The process returned a response of the wrong type.' };
    const { others } = answer.times;
    if (others <= mostOthers || left <= 0) return answer.times;
    disturb(others);
    say(
      `${name} at size ${size} is repeated: other processes used ${percent(others)} of the processors`,
    );
  }
}
