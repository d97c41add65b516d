/** Candidates and predictions of the default of a problem. */
import { SIMT } from '../../../src/core/cost/simt/simtCalibration';
import type { PredictedSchedule } from '../../../src/core/defaults/predictedSchedule';
import {
  scheduleOf as simtScheduleOf,
  simtCandidates,
  type OpenSpec,
} from '../../../src/core/defaults/simt/simtCandidates';
import { simtSchedules } from '../../../src/core/defaults/simt/simtChoice';
import { scheduleOf, warpGroupCandidates } from '../../../src/core/defaults/wgmma/wgmmaCandidates';
import { predictedSchedules } from '../../../src/core/defaults/wgmma/wgmmaChoice';
import { simtClass } from '../../../src/core/defaults/simt/simtSchedules';
import { findDevice } from '../../../src/core/hardware/devices';
import type { ResolvedSchedule } from '../../../src/core/spec/resolved';

export interface Choice {
  readonly all: readonly ResolvedSchedule[];
  readonly best: (most: number) => readonly PredictedSchedule[];
}

export function choiceOf(spec: OpenSpec): Choice {
  const { problem, device } = spec;
  const { multiprocessors = 1 } = findDevice(device) ?? {};
  return problem.a.dtype === 'f32'
    ? {
        all: [...simtCandidates(spec, multiprocessors, SIMT[simtClass(problem)])].map(
          simtScheduleOf,
        ),
        best: most => simtSchedules(spec, most),
      }
    : {
        all: [...warpGroupCandidates(problem, device, multiprocessors)].map(scheduleOf),
        best: most => predictedSchedules(problem, device, most),
      };
}
