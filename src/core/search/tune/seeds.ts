/** Schedules that a tuning run measures first. */
import { predictions } from '../../defaults/dispatch/predicted';
import { examiner } from '../../plan/examiner';
import type { ResolvedSchedule, ResolvedSpec } from '../../spec/resolved';
import type { Target } from '../../spec/schema';

/**
 * Returns the schedule of the spec if it is legal, and the fastest predictions of the time model
 * that chooses defaults. A run that measures them cannot end below the default of a spec without a
 * schedule.
 */
export function seedsOf(spec: ResolvedSpec, target: Target): readonly ResolvedSchedule[] {
  const legality = examiner();
  const own = legality.isLegal(spec, target) ? [spec.schedule] : [];
  const listed = { ...spec, targets: [target] };
  return [...own, ...[...predictions(listed, legality)].map(({ schedule }) => schedule)];
}
