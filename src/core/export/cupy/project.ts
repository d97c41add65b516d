/** `cupy`: one Python file with the kernels, compiled by nvcc and loaded as RawModule. */
import { t } from '@vscode/l10n';
import { hashLine } from '../../kernel/file/fileHead';
import { isLowered, type Kernel } from '../../kernel/kernel';
import { NUMPY_TYPES } from '../dtypes';
import { extrasOf } from '../epilogue';
import type { Exported, ExportSubject } from '../subject';
import { moduleText } from './module';

export function cupyProject(subject: ExportSubject): Exported {
  const { name, kernels, type } = subject;
  const operands = [
    ...(['a', 'b', 'c'] as const).map(operand => ({
      name: operand.toUpperCase(),
      ...type[operand],
    })),
    ...extrasOf(type),
  ];
  for (const { name: operand, dtype } of operands) {
    if (NUMPY_TYPES[dtype] === undefined)
      return {
        ok: false,
        reason: t(
          'CuPy has no type for {0}, the type of {1}. Fix: export to pytorch or cpp.',
          dtype,
          operand,
        ),
      };
  }
  const withPasses = kernels.find(({ kernel }) => hasPasses(kernel));
  if (withPasses !== undefined)
    return {
      ok: false,
      reason: t(
        'The cupy target supports TMA kernels only without pre-pass and post-pass kernels, which {0} has. Fix: change the schedule, or export to pytorch or cpp.',
        withPasses.kernel.specKey,
      ),
    };
  const text = moduleText(subject);
  return { ok: true, files: [{ path: `${name}.py`, text: text + hashLine(text, '#') }] };
}

const hasPasses = (kernel: Kernel): boolean =>
  !isLowered(kernel) && (kernel.before !== undefined || kernel.after !== undefined);
