/** Converts a resolved spec back to a spec. */
import { epilogueSpec } from './epilogue';
import { type ResolvedSpec, extent, type ResolvedSchedule } from './resolved';
import { type GemmSpec, SCHEDULE_FIELDS } from './schema';

/**
 * Returns a spec that resolves to `resolved`. Default strides, batch count, alpha, beta and
 * epilogue are omitted.
 */
export function toSpec(resolved: ResolvedSpec): GemmSpec {
  const { problem, schedule, device, targets, webgpuLimits, workspaceLimitBytes } = resolved;
  const { m, n, k, alpha, beta, batch, epilogue } = problem;
  const operand = (name: 'a' | 'b' | 'c') => {
    const { dtype, layout, ld, batchStride } = problem[name];
    const { rows, columns } = extent(problem, name);
    const [outer, inner] = layout === 'row' ? [rows, columns] : [columns, rows];
    return {
      dtype,
      layout,
      ...(ld === inner ? {} : { ld }),
      ...(batchStride === outer * ld ? {} : { batchStride }),
    };
  };
  return {
    version: 1,
    problem: {
      m,
      n,
      k,
      ...(batch === 1 ? {} : { batch }),
      a: operand('a'),
      b: operand('b'),
      c: operand('c'),
      accumulator: problem.accumulator,
      ...(alpha === 1 ? {} : { alpha }),
      ...(beta === 0 ? {} : { beta }),
      ...(epilogue === undefined ? {} : { epilogue: epilogueSpec(epilogue, problem) }),
    },
    schedule: inOrder(schedule),
    device,
    targets: [...targets],
    ...(webgpuLimits === undefined ? {} : { webgpuLimits }),
    ...(workspaceLimitBytes === undefined ? {} : { workspaceLimitBytes }),
  };
}

/**
 * Sorts fields as in a decoded spec, so that decoding and encoding a spec again does not change its
 * text.
 */
export const inOrder = (schedule: ResolvedSchedule): ResolvedSchedule => {
  const place = ([field]: readonly [string, unknown]): number => SCHEDULE_FIELDS.indexOf(field);
  const sorted = Object.entries(schedule).sort((one, other) => place(one) - place(other));
  return { algorithm: schedule.algorithm, ...Object.fromEntries(sorted) };
};
