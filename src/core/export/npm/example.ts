/** example.html of the `npm` target: runs the kernels in a page and checks the results. */
import { DTYPE_BYTES, isInteger, type DType } from '../../types/dtype';
import { floatLiteral } from '../numbers';
import {
  elementFactors,
  extrasOf,
  gateOperand,
  isMatrix,
  matrixOrder,
  type ExtraOperand,
} from '../epilogue';
import { activationsWith, referenceLines, usesGelu } from '../reference';
import { LEADING, memoryOrder } from '../roles';
import { testSizes, type TestSize } from '../sizes';
import type { ExportSubject, GemmType } from '../subject';
import { gammaAt, inputRange, storeErrors } from '../tolerance';

/** Larger matrices take long in the reference of the page, which is not optimized. */
const MOST_ELEMENTS = 2 ** 17;

const OPERANDS = ['a', 'b', 'c'] as const;

const ARRAYS: Readonly<Partial<Record<DType, string>>> = {
  f32: 'Float32Array',
  f16: 'Uint16Array',
  s32: 'Int32Array',
};

export function exampleText(subject: ExportSubject): string {
  const { name, type, kernels } = subject;
  const all = kernels.map(({ kernel }) => kernel);
  const sizes = testSizes(all, type, { mostElements: MOST_ELEMENTS });
  const errors = storeErrors(kernels[0].kernel);
  const extras = extrasOf(type);
  const gate = gateOperand(type);
  const usesHalf = [...OPERANDS.map(operand => type[operand]), ...extras].some(
    ({ dtype }) => dtype === 'f16',
  );
  const steps = referenceLines(type, kernels[0].kernel, {
    element: operand => `valueOf.${operand.name}(${operand.name}[${extraPlace(operand, type)}])`,
    magnitude: each => `Math.abs(${each})`,
    atLeastOne: each => `Math.max(Math.abs(${each}), 1)`,
    activations: activationsWith({ max: 'Math.max', exp: 'Math.exp', erf: 'erf' }),
    semicolon: ';',
    secondBound: 'secondBound',
  });
  const usesErf = usesGelu(type);
  const bound = {
    sum: `gamma * (${floatLiteral(Math.abs(type.alpha))} * magnitude + Math.abs(before))`,
    stored: `${floatLiteral(errors.relative)} * Math.abs(wanted) + ${floatLiteral(errors.absolute)}`,
  };
  const buffers = [...OPERANDS, ...extras.map(({ name: operand }) => operand)];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${name}</title>
<h1>${name}</h1>
<p>Computes products with WebGPU and compares them with a reference in double precision. Serve the
folder of the package with a web server, because browsers do not load modules from files.</p>
<pre id="log"></pre>
<script type="module">
import { deviceDescriptor, Gemm } from './index.js';

const log = text => (document.getElementById('log').textContent += text + '\\n');

// Small sizes, and the error of the sum relative to the sum of absolute products.
const SIZES = [
${sizes.map(size => `  ${sizeText(size, type, gammaAt(all, size.k))},`).join('\n')}
];
${usesHalf ? `\n${HALF}\n` : ''}${usesErf ? `\n${ERF}\n` : ''}
${arrayText(type)}

/** Returns pseudo-random elements. */
function filled(length, seed, range, isInteger) {
  let state = seed;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const value = (state / 2 ** 31 - 1) * range;
    return isInteger ? Math.round(value) : value;
  });
}

function bufferOf(device, array) {
  const size = Math.ceil(array.byteLength / 16) * 16;
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const buffer = device.createBuffer({ size, usage, mappedAtCreation: true });
  new Uint8Array(buffer.getMappedRange()).set(new Uint8Array(array.buffer));
  buffer.unmap();
  return buffer;
}

async function read(device, buffer) {
  const staging = device.createBuffer({ size: buffer.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  return staging.getMappedRange().slice(0);
}

/** Returns the number of elements outside of the error bound. */
async function wrongElements(device, gemm, { gamma, ...size }) {
  const { m, n, k, batch = 1 } = size;
${OPERANDS.map((operand, i) => {
  const { dtype } = type[operand];
  const [across] = memoryOrder(type, operand);
  const length = `batch * ${across} * size.${LEADING[operand]}`;
  return `  const ${operand} = arrayOf.${operand}(filled(${length}, ${i + 1}, ${inputRange(dtype)}, ${isInteger(dtype)}));`;
})
  .concat(
    extras.map((operand, i) => {
      const factors = elementFactors(operand, type).map(String);
      return `  const ${operand.name} = arrayOf.${operand.name}(filled(${factors.join(' * ') || '1'}, ${i + 4}, ${inputRange(operand.dtype)}, ${isInteger(operand.dtype)}));`;
    }),
  )
  .join('\n')}
  const buffers = { ${buffers.map(operand => `${operand}: bufferOf(device, ${operand})`).join(', ')} };
  gemm.run({ ...size, ...buffers });
  const result = arrayOf.result(await read(device, buffers.c));
  let wrong = 0;
  for (let entry = 0; entry < batch; entry++) {
${OPERANDS.map(operand => `    const ${operand.toUpperCase()} = entry * ${memoryOrder(type, operand)[0]} * size.${LEADING[operand]};`).join('\n')}
    for (let row = 0; row < m; row++) {
      for (let column = 0; column < n; column++) {
        let sum = 0, magnitude = 0${gate === undefined ? '' : ', sum2 = 0, magnitude2 = 0'};
        for (let i = 0; i < k; i++) {
          const product = valueOf.a(a[A + ${place(type, 'a', 'row', 'i')}]) * valueOf.b(b[B + ${place(type, 'b', 'i', 'column')}]);
          sum += product;
          magnitude += Math.abs(product);
${
  gate === undefined
    ? ''
    : `          const product2 = valueOf.a(a[A + ${place(type, 'a', 'row', 'i')}]) * valueOf.${gate.name}(${gate.name}[${extraPlace(gate, type)}]);
          sum2 += product2;
          magnitude2 += Math.abs(product2);
`
}        }
${
  gate === undefined
    ? ''
    : `        const second = ${floatLiteral(type.alpha)} * sum2, secondBound = gamma * ${floatLiteral(Math.abs(type.alpha))} * magnitude2;
`
}        const at = C + ${place(type, 'c', 'row', 'column')};
        const before = ${type.readsC ? floatLiteral(type.beta) : '0'} * valueOf.c(c[at]);
        ${steps.length === 0 ? 'const' : 'let'} wanted = ${floatLiteral(type.alpha)} * sum + before;
${(steps.length === 0
  ? [`const bound = ${bound.sum} + ${bound.stored};`]
  : [`let bound = ${bound.sum};`, ...steps, `bound = bound + ${bound.stored};`]
)
  .map(line => `        ${line}\n`)
  .join('')}        if (!(Math.abs(valueOf.c(result[at]) - wanted) <= bound)) wrong++;
      }
    }
  }
  return wrong;
}

async function main() {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) throw new Error('This browser has no WebGPU adapter.');
  const device = await adapter.requestDevice(deviceDescriptor(adapter));
  const gemm = await Gemm.create(device);
  let isCorrect = true;
  for (const size of SIZES) {
    const kernel = gemm.kernelFor(size);
    if (kernel === undefined) {
      log(\`\${size.m} x \${size.n} x \${size.k}: no kernel for this device\`);
      continue;
    }
    const wrong = await wrongElements(device, gemm, size);
    log(\`\${size.m} x \${size.n} x \${size.k}, \${kernel}: \${wrong} incorrect elements\`);
    isCorrect &&= wrong === 0;
  }
  document.body.dataset.result = isCorrect ? 'correct' : 'incorrect';
}

main().catch(error => {
  log(String(error));
  document.body.dataset.result = 'failed';
});
</script>
</html>
`;
}

const sizeText = (
  { m, n, k, batch, lda, ldb, ldc }: TestSize,
  type: GemmType,
  gamma: number,
): string =>
  `{ m: ${m}, n: ${n}, k: ${k}, ${type.isBatched ? `batch: ${batch}, ` : ''}lda: ${lda}, ldb: ${ldb}, ldc: ${ldc}, gamma: ${gamma} }`;

function place(type: GemmType, operand: 'a' | 'b' | 'c', row: string, column: string): string {
  const [across, along] = type[operand].layout === 'row' ? [row, column] : [column, row];
  return `${across} * size.${LEADING[operand]} + ${along}`;
}

/** Returns the element offset of an epilogue operand. */
function extraPlace(operand: ExtraOperand, { isBatched }: GemmType): string {
  const index = { m: 'row', n: 'column', k: 'i' } as const;
  if (!isMatrix(operand)) return operand.sides.map(side => index[side])[0] ?? '0';
  const [across, along] = matrixOrder(operand);
  const line = isBatched ? `(entry * ${across} + ${index[across]})` : index[across];
  return `${line} * ${operand.ld ?? along} + ${index[along]}`;
}

/** Conversions between numbers and the elements of each buffer. */
function arrayText(type: GemmType): string {
  const all = [...OPERANDS.map(name => ({ name, ...type[name] })), ...extrasOf(type)];
  const made = all.map(({ name, dtype }) => {
    const values = dtype === 'f16' ? 'values.map(toHalf)' : 'values';
    return `  ${name}: values => new ${ARRAYS[dtype] ?? ''}(${values}),`;
  });
  const read = all.map(
    ({ name, dtype }) =>
      `  ${name}: element => ${dtype === 'f16' ? 'fromHalf(element)' : 'element'},`,
  );
  const words = DTYPE_BYTES[type.c.dtype];
  return `const arrayOf = {
${made.join('\n')}
  result: bytes => new ${ARRAYS[type.c.dtype] ?? ''}(bytes, 0, Math.floor(bytes.byteLength / ${words})),
};
const valueOf = {
${read.join('\n')}
};`;
}

const ERF = `// Error function, as a series of positive terms.
function erf(z) {
  if (Math.abs(z) > 6) return Math.sign(z);
  let sum = 0, term = z;
  for (let n = 0; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
    sum += term;
    term *= (2 * z * z) / (2 * n + 3);
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-z * z) * sum;
}`;

const HALF = `// Binary16 of a normal number, rounded to nearest; smaller numbers become 0.
function toHalf(value) {
  const bits = new Uint32Array(new Float32Array([value]).buffer)[0];
  const rounded = bits + 0x0fff + ((bits >>> 13) & 1);
  const exponent = ((rounded >>> 23) & 0xff) - 112;
  const sign = (bits >>> 16) & 0x8000;
  return exponent <= 0 ? sign : sign | (exponent << 10) | ((rounded >>> 13) & 0x3ff);
}

function fromHalf(bits) {
  const exponent = (bits >> 10) & 31, fraction = bits & 1023, sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}`;
