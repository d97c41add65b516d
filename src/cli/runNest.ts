/** Runs a loop nest on a backend or in Python, and verifies C. */
import type { BackendId, Outcome } from '../core/measure/measurement';
import { nestKernel } from '../core/nests/kernel';
import type { LoopNest, LoopProblem } from '../core/nests/nest';
import { pythonText } from '../core/nests/python';
import { MAX_NEST_FMAS, simulateNest } from '../core/nests/simulateNest';
import { findExecutable } from '../host/executables';
import { runProcess } from '../host/process';
import { backendOf } from './backends';
import type { Context } from './command';
import { interrupted, invalidInput, missingPrerequisite } from './result';

export interface NestRun {
  readonly backend: BackendId | 'python';
  readonly outcome: Outcome;
  readonly message: string;
}

interface Subject {
  readonly nest: LoopNest;
  readonly problem: LoopProblem;
}

const SEED = 1;

export async function runNest(
  backend: BackendId | 'python',
  subject: Subject,
  context: Context,
): Promise<NestRun> {
  if (backend === 'python') return inPython(subject, context);
  if (backend === 'simulate') return simulated(subject);
  const runnable = nestKernel(
    subject.nest,
    subject.problem,
    backend === 'webgpu' ? 'wgsl' : 'cuda',
  );
  const used = backendOf(backend);
  const found = await used.probe();
  if (!found.available) throw missingPrerequisite(`${found.why} ${found.next}`);
  const { outcome, message, verification } = await used.run(
    { runnable, mode: 'verify', seed: SEED },
    { abort: context.abort, progress: () => undefined },
  );
  if (outcome === 'cancelled') throw interrupted();
  return { backend, outcome, message: message ?? correctText(backend, verification.samples) };
}

const correctText = (backend: string, samples: number): string =>
  `${backend}: C is correct; ${samples} elements compared with fp64.`;

function simulated({ nest, problem }: Subject): NestRun {
  const { m, n, k } = problem;
  if (m * n * k > MAX_NEST_FMAS)
    throw invalidInput(
      `${m} x ${n} x ${k} exceeds the limit of simulate for loops (m n k <= ${MAX_NEST_FMAS}). Fix: choose a smaller --size.`,
    );
  const { findings, verification } = simulateNest(nestKernel(nest, problem, 'cuda'), SEED);
  const [first] = findings;
  const isRight = first === undefined && verification.mismatches === 0;
  return {
    backend: 'simulate',
    outcome: isRight ? 'correct' : 'incorrect',
    message:
      first === undefined
        ? isRight
          ? correctText('simulate', verification.samples)
          : `simulate: ${verification.mismatches} elements of C are outside their error bound.`
        : `simulate: ${first.kind}: ${first.message}`,
  };
}

const PYTHON_LIMIT_MS = 120_000;

async function inPython({ nest, problem }: Subject, { abort }: Context): Promise<NestRun> {
  const python = findExecutable(['python3', 'python'], {});
  if (!python.ok)
    throw missingPrerequisite(
      'No python3 on PATH. Fix: install Python 3, or choose --backend simulate.',
    );
  const ended = await runProcess(python.path, ['-I', '-'], {
    input: pythonText(nest, problem),
    signal: abort,
    timeoutMs: PYTHON_LIMIT_MS,
  });
  if (ended.aborted) throw interrupted();
  if (ended.timedOut)
    return {
      backend: 'python',
      outcome: 'timeout',
      message: `python: stopped after ${PYTHON_LIMIT_MS / 1000} s. Fix: choose a smaller --size.`,
    };
  const isRight = ended.code === 0;
  const text = (isRight ? ended.stdout : ended.stderr).trim().split('\n').at(-1) ?? '';
  return {
    backend: 'python',
    outcome: isRight ? 'correct' : 'incorrect',
    message: `python: ${text}`,
  };
}
