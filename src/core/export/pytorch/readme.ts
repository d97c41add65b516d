/** README.md of the `pytorch` target. */
import { kernelTable, provenanceSection, RULE, summaryText } from '../describe';
import { isHopperOnly } from '../architecture';
import type { ExportSubject } from '../subject';
import { isRecomputed, isTrainable } from './gradients';
import { scalarsOf, tensorsOf } from './operator';
import { isChecked } from './test';

export function readmeText(subject: ExportSubject): string {
  const { name, type, kernels } = subject;
  const isHopper = kernels.some(({ kernel }) => isHopperOnly(kernel));
  const scalars = scalarsOf(type).map(scalar => scalar.name);
  return `# ${name}

A PyTorch operator for one product: ${summaryText(type)}

## Install

Requires PyTorch 2.4 or later for CUDA, nvcc and a C++17 compiler${isHopper ? ', and a GPU of compute capability 9.0' : ''}.

- Ahead of time: \`pip install --no-build-isolation .\`
- Just in time: put the folder \`${name}\` on the Python path. The first import compiles the
  extension (with ninja) and caches it.

## Use

\`\`\`python
import ${name}

result = ${name}.gemm(${[...tensorsOf(type), ...scalars.map(each => `${each}=${each}`)].join(', ')})
\`\`\`

- The call runs on the current stream. It works in \`torch.compile\` and in CUDA graphs.
- The tensors must have the layouts above; other strides are an error, not a copy.
- ${
    isTrainable(type)
      ? `Gradients are defined; they are products by \`torch.matmul\`.${isRecomputed(type) ? '\n  The backward pass recomputes the values inside the epilogue with PyTorch.' : ''}`
      : 'Gradients are not defined for these types.'
  }
${
  type.a.layout === 'row' && type.b.layout === 'col' && type.epilogue.length === 0
    ? `- \`torch.nn.functional.linear(x, weight)\` is \`${name}.gemm(x, weight.t())\` for a contiguous weight.\n`
    : ''
}
## Test

\`\`\`sh
python -m unittest discover -s tests
\`\`\`

The test needs a GPU. It compares results with a reference in double precision and runs
${isChecked(type) ? '\`torch.library.opcheck\`, ' : ''}\`torch.compile\` and a CUDA graph.

## Kernels

${kernelTable(subject)}

${kernels.length > 1 ? `${RULE.join('\n')}\n\n` : ''}${provenanceSection(subject)}`;
}
