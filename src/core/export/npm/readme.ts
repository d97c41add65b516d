/** README.md and package.json of the `npm` target. */
import { kernelTable, provenanceSection, RULE, summaryText } from '../describe';
import { extrasOf, nameOf } from '../epilogue';
import { callerRoles } from '../roles';
import type { ExportSubject } from '../subject';

/** Returns the name of the package, which npm requires in lower case. */
const packageName = ({ name }: ExportSubject): string => name.replaceAll('_', '-');

export const manifestJson = (subject: ExportSubject): string =>
  `${JSON.stringify(
    {
      name: packageName(subject),
      version: '0.1.0',
      description: summaryText(subject.type),
      license: 'MIT',
      type: 'module',
      sideEffects: false,
      exports: { '.': { types: './index.d.ts', default: './index.js' } },
      files: ['index.js', 'index.d.ts', 'kernels.js', 'kernels', 'example.html', 'LICENSE'],
    },
    null,
    2,
  )}\n`;

export function readmeText(subject: ExportSubject): string {
  const { type, kernels } = subject;
  const operands = callerRoles(type)
    .flat()
    .filter(role => !role.startsWith('ld') && !role.startsWith('stride'))
    .map(role => nameOf(type, role));
  const buffers = ['a', 'b', 'c', ...extrasOf(type).map(({ name }) => name)];
  return `# ${packageName(subject)}

WebGPU kernels for one product: ${summaryText(type)}

## Use

\`\`\`js
import { deviceDescriptor, Gemm } from '${packageName(subject)}';

const adapter = await navigator.gpu.requestAdapter();
const device = await adapter.requestDevice(deviceDescriptor(adapter));
const gemm = await Gemm.create(device); // compiles once per device

gemm.run({ ${operands.join(', ')} }); // ${buffers.slice(0, -1).join(', ')} and ${buffers.at(-1) ?? ''} are buffers of the device
\`\`\`

\`gemm.encode(encoder, ...)\` records the product in a command encoder together with other work.

The module uses the device that it gets, so it shares the device and the buffers of other libraries:

- onnxruntime-web: \`ort.env.webgpu.device\`, and \`tensor.gpuBuffer\` of tensors on the GPU;
- TensorFlow.js: \`tf.backend().device\`, and \`tensor.dataToGPU().buffer\`.

These libraries request their devices themselves. If the device has too few features or limits for
every kernel, \`Gemm.create\` rejects with the missing requirements.

## Test

\`example.html\` runs the kernels and compares the results with a reference:

\`\`\`sh
python3 -m http.server # then open http://localhost:8000/example.html
\`\`\`

## Kernels

A kernel is only used if the device has its features and limits (\`kernels.js\`).

${kernelTable(subject)}

${kernels.length > 1 ? `${RULE.join('\n')}\n\n` : ''}${provenanceSection(subject)}`;
}
