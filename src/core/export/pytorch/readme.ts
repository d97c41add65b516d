/** README.md of the `pytorch` target. */
import { kernelTable, provenanceSection, RULE, summaryText } from '../describe';
import { ACTIVATIONS, type Activation } from '../../types/activations';
import { isHopperOnly } from '../architecture';
import type { ExportSubject } from '../subject';
import { isRecomputed, isTrainable, torchActivation } from './gradients';
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
${linearText(subject)}
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

/** Names the operation of PyTorch that the operator replaces, if it is a linear layer. */
function linearText({ name, type }: ExportSubject): string {
  const { a, b, alpha, readsC, isBatched, epilogue } = type;
  const [bias, ...steps] = epilogue[0]?.op === 'bias' ? epilogue : [undefined, ...epilogue];
  const isLinear = a.layout === 'row' && b.layout === 'col' && alpha === 1 && !readsC && !isBatched;
  if (!isLinear || steps.length > 1 || bias?.operand?.sides[0] === 'm') return '';
  const activation = steps[0]?.op;
  if (activation !== undefined && !isActivationName(activation)) return '';
  const more = bias === undefined ? '' : ', bias';
  const linear = `torch.nn.functional.linear(x, weight${more})`;
  const whole = activation === undefined ? linear : torchActivation(activation, linear);
  return `- \`${whole}\` is \`${name}.gemm(x, weight.t()${more})\` for a contiguous weight.\n`;
}

const isActivationName = (op: string): op is Activation =>
  (ACTIVATIONS as readonly string[]).includes(op);
