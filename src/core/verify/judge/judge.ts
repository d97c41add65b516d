/** Judges a kernel: converts the evidence of a backend to findings, and applies them to a run. */
import { t } from '@vscode/l10n';
import { MAX_FINDINGS, type Measurement, type Verification } from '../../measure/measurement';
import { grouped } from '../../text/numbers';
import type { Checked } from '../bound';
import type { Evidence } from './evidence';
import { nameHostCode } from './hostCode';
import { rejects, type JudgeFinding } from './ids';
import { nameLaunch } from './launches';
import { inputModified, nameOutput } from './outputs';
import { namePrecision } from './precision';
import { nameTimes } from './times';

export interface Subject {
  /** The problem, with the emulation that the kernel declares. */
  readonly problem: Checked;
  /** CUDA source, if the subject is a file. */
  readonly source?: string;
  /** Whether the kernel is generated, so that its order of operations is known. */
  readonly isGenerated?: boolean;
}

export interface Judged {
  readonly findings: readonly JudgeFinding[];
  /** Verification of the first incorrect later launch. */
  readonly verification?: Verification;
}

/** Judges a kernel by its first launch, on the inputs of `seed`, and by the evidence after it. */
export function judge(
  subject: Subject,
  seed: number,
  first: Verification,
  evidence: Evidence = { launches: [] },
): Judged {
  const { problem } = subject;
  const own = [nameOutput(problem, seed, first), namePrecision(problem, first)];
  const incorrect = evidence.launches.filter(({ verification }) => verification.mismatches > 0);
  const later = incorrect.map(launch => nameLaunch(problem, launch));
  const { changedInputs = 0 } = evidence;
  const all = [
    ...own,
    changedInputs === 0 ? undefined : inputModified(changedInputs),
    ...later,
    ...nameTimes(evidence),
    differences(subject, evidence),
    subject.source === undefined || subject.isGenerated === true
      ? undefined
      : nameHostCode(subject.source),
  ].filter(finding => finding !== undefined);
  const findings = all.filter(({ id }, at) => all.findIndex(other => other.id === id) === at);
  const [failed] = incorrect;
  return { findings, ...(failed === undefined ? {} : { verification: failed.verification }) };
}

function differences(
  { isGenerated = false }: Subject,
  { bits }: Evidence,
): JudgeFinding | undefined {
  if (isGenerated || bits === undefined || bits.differing === 0) return undefined;
  const message = t(
    'Two launches on the same matrices differ in {0} of {1} compared elements, within the error bound. The order of the additions changes between launches, for example because of atomic additions.',
    grouped(bits.differing),
    grouped(bits.compared),
  );
  return { id: 'not-deterministic', message };
}

/**
 * Adds the findings to a run. A finding that rejects the kernel makes a correct run incorrect and
 * removes its times, so that the run enters no ranking.
 */
export function withJudgement(run: Measurement, { findings, verification }: Judged): Measurement {
  if (findings.length === 0) return run;
  const all = [...(run.findings ?? []), ...findings].slice(0, MAX_FINDINGS);
  const isRejected = findings.some(rejects) && ['correct', 'incorrect'].includes(run.outcome);
  const why = findings.map(({ id, message }) => `${id}: ${message}`).join('\n');
  // Findings of the memory checker name the cause, and those of the judge its effect.
  const order = isRejected && run.findings === undefined ? [why, run.message] : [run.message, why];
  const judged = { ...run, findings: all, message: order.filter(Boolean).join('\n') };
  if (!isRejected) return judged;
  const changed = verification === undefined || run.outcome === 'incorrect' ? {} : { verification };
  const rejection: Measurement = { ...judged, ...changed, outcome: 'incorrect' };
  delete rejection.timing;
  delete rejection.baseline;
  delete rejection.baselines;
  delete rejection.energy;
  delete rejection.energyUnknown;
  return rejection;
}
