/** The whole corpus, and the sample of it that every test run takes. */
import { hostileAnnotations, hostileTexts } from './annotations';
import type { HostileFile, Traps } from './entry';
import { specText } from './kernels';
import { hostileNames } from './names';
import { seeded } from './random';
import { reproductions } from './reproductions';
import { hostileRuns } from './runs';
import { hostileSpecs } from './specs';
import { hostileDispatch, hostilePrograms, hostileSettings, hostileTasks } from './workspace';

const SEED = 22;

/** The same files for the same traps and seed. */
export function corpus(traps: Traps, seed = SEED): readonly HostileFile[] {
  const draw = seeded(seed);
  return [
    ...reproductions(traps),
    ...hostileNames(traps),
    ...hostileSpecs(traps, draw),
    ...hostileAnnotations(traps, draw),
    ...hostileTexts(traps),
    ...hostileRuns(traps),
    ...hostileDispatch(traps),
    ...hostileSettings(traps),
    ...hostileTasks(traps),
    ...hostilePrograms(traps),
  ];
}

/**
 * Files of each category that other files of the category repeat in another form.
 * test/e2e/hostileText.test.ts has the texts in notifications and hovers.
 */
const SAMPLE = [
  'h1-canary',
  'h1-name',
  'm1-device-run',
  'm2-garbage',
  'l8-passwd',
  'spec-deep',
  'annotation-3-block',
  'text-0',
  'run-3-message',
  'run-pipe',
  'dispatch-link-field',
  'settings-output-up',
  'task-outside',
  'program-bin-nvcc',
];

export const sample = (traps: Traps): readonly HostileFile[] =>
  corpus(traps).filter(({ id }) => SAMPLE.includes(id));

/** A spec that is sound: what tasks and commands work on. */
export const SOUND = {
  path: 'specs/ok.gemm.json',
  content: specText({
    version: 1,
    problem: { m: 32, n: 32, k: 16 },
    schedule: {
      algorithm: 'shared-tile',
      block: { m: 16, n: 16, k: 16 },
    },
    targets: ['cuda'],
  }),
} as const;
