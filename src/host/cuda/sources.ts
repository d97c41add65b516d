/**
 * Assembles the sources of the CUDA executables from the files of shaders/cuda, in dependency
 * order.
 */
import baselines from '../../../shaders/cuda/runner/baselines.cuh';
import ceilings from '../../../shaders/cuda/ceilings.cuh';
import cublas from '../../../shaders/cuda/cublas.cuh';
import cublaslt from '../../../shaders/cuda/cublaslt.cuh';
import driver from '../../../shaders/cuda/runner/driver.cuh';
import files from '../../../shaders/cuda/files.cuh';
import foreign from '../../../shaders/cuda/runner/foreign.cuh';
import judge from '../../../shaders/cuda/runner/judge.cuh';
import json from '../../../shaders/cuda/runner/json.cuh';
import libraries from '../../../shaders/cuda/libraries.cuh';
import matrices from '../../../shaders/cuda/matrices.cuh';
import npy from '../../../shaders/cuda/npy.cuh';
import nvrtc from '../../../shaders/cuda/runner/nvrtc.cuh';
import problem from '../../../shaders/cuda/problem.cuh';
import race from '../../../shaders/cuda/runner/race.cuh';
import report from '../../../shaders/cuda/report.cuh';
import requests from '../../../shaders/cuda/runner/requests.cuh';
import runner from '../../../shaders/cuda/runner/runner.cuh';
import sensors from '../../../shaders/cuda/sensors.cuh';
import standalone from '../../../shaders/cuda/standalone.cuh';
import tensorMaps from '../../../shaders/cuda/tensorMaps.cuh';
import tensorCeilings from '../../../shaders/cuda/runner/tensorCeilings.cuh';
import timing from '../../../shaders/cuda/timing.cuh';
import verification from '../../../shaders/cuda/verification.cuh';
import verify from '../../../shaders/cuda/verify.cuh';

const SHARED = [
  report,
  problem,
  matrices,
  verify,
  verification,
  libraries,
  tensorMaps,
  sensors,
  timing,
  cublas,
  ceilings,
];

/**
 * Sections of the executable that runs one kernel. Its constants and its launch follow these
 * sections.
 */
export const STANDALONE_SECTIONS: readonly string[] = [...SHARED, npy, files, standalone];

const RUNNER_SECTIONS = [
  ...SHARED,
  cublaslt,
  tensorCeilings,
  json,
  nvrtc,
  driver,
  requests,
  baselines,
  foreign,
  judge,
  race,
  runner,
];

/**
 * Returns the source of the runner of one GPU. `architecture` is the compile target, such as
 * `sm_90a`; the suffix enables Hopper instructions.
 */
export function runnerSource(architecture: string): string {
  const features = architecture === 'sm_90a' ? ['#define HARNESS_SM90A'] : [];
  const main = 'int main(int count, char** values) { return harness::serve(count, values); }';
  return `${[...features, ...RUNNER_SECTIONS.map(text => text.trim()), main].join('\n\n')}\n`;
}
