/**
 * Compares the cuBLAS times of our runner with PyTorch's benchmark timer. PyTorch is timed twice:
 * with one set of matrices, and with as many sets as our runner rotates through.
 */
import * as v from 'valibot';
import { table } from '../sections';
import { read } from './records';

const schema = v.object({
  command: v.string(),
  commit: v.string(),
  date: v.string(),
  gpu: v.string(),
  cublas: v.array(v.object({ size: v.number(), cublasMs: v.number() })),
  torch: v.array(v.object({ size: v.number(), oneSetMs: v.number(), rotatingMs: v.number() })),
});

export function torchBenchmarkTable(): string {
  const { command, commit, date, gpu, cublas, torch } = v.parse(
    schema,
    read('h200-torch-benchmark.json'),
  );
  const rows = cublas.map(({ size, cublasMs }) => {
    const percents = (of: 'rotatingMs' | 'oneSetMs'): string =>
      torch
        .filter(one => one.size === size)
        .map(one => `${(100 * (one[of] / cublasMs - 1)).toFixed(2)} %`)
        .join(', ');
    return [String(size), cublasMs.toFixed(4), percents('rotatingMs'), percents('oneSetMs')];
  });
  return [
    table(
      [
        'm = n = k',
        'cuBLAS by our runner, ms',
        'torch.mm, rotating sets: before, after',
        'torch.mm, one set of matrices',
      ],
      rows,
    ),
    '',
    `${gpu}; ${date}; commit \`${commit}\`; \`${command}\`; raw: \`bench/h200-torch-benchmark.json\`.`,
  ].join('\n');
}
