/**
 * Wraps tfjs and jax-js, which generate and submit their own kernels on the process's
 * `navigator.gpu`.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Extents } from '../../../scripts/besideLibraries/size';
import type { Multiplier } from './wall';

type Matrix = Float32Array<ArrayBuffer>;
interface Operands extends Extents {
  readonly a: Matrix;
  readonly b: Matrix;
}
type Open = (file: string, operands: Operands) => Promise<Multiplier>;

/** The caller casts the module, because the library's types are not installed. */
const load = async (file: string): Promise<unknown> => import(pathToFileURL(resolve(file)).href);

interface Tensor {
  data(): Promise<Matrix>;
  dispose(): void;
}
interface Tfjs {
  setBackend(name: string): Promise<boolean>;
  ready(): Promise<void>;
  tensor2d(values: Matrix, shape: readonly [number, number]): Tensor;
  matMul(a: Tensor, b: Tensor): Tensor;
  slice(tensor: Tensor, begin: readonly number[], size: readonly number[]): Tensor;
}

/** tfjs requires a browser page, which it detects by the global `window`. */
const tfjs: Open = async (file, { a: aData, b: bData, m, n, k }) => {
  Object.assign(globalThis, { window: globalThis });
  const tf = (await load(file)) as Tfjs;
  if (!(await tf.setBackend('webgpu'))) throw new Error('tfjs did not open a WebGPU backend.');
  await tf.ready();
  const [a, b] = [tf.tensor2d(aData, [m, k]), tf.tensor2d(bData, [k, n])];
  let last: Tensor | undefined;
  return {
    multiply: async products => {
      for (let i = 0; i < products; i++) {
        last?.dispose();
        last = tf.matMul(a, b);
      }
      if (last === undefined) return;
      const corner = tf.slice(last, [m - 1, n - 1], [1, 1]);
      await corner.data();
      corner.dispose();
    },
    result: async () => {
      if (last === undefined) throw new Error('tfjs has not computed a GEMM yet.');
      return last.data();
    },
  };
};

/**
 * Array of jax-js. An operation consumes its operands; `ref` returns a second reference, which
 * keeps the array alive.
 */
interface JaxArray {
  readonly ref: JaxArray;
  blockUntilReady(): Promise<JaxArray>;
  data(): Promise<Matrix>;
  dispose(): void;
  slice(...index: readonly number[]): JaxArray;
}
interface Jax {
  readonly init: (device: string) => Promise<readonly string[]>;
  readonly defaultDevice: (device: string) => string;
  readonly numpy: {
    array(values: Matrix, options: { readonly shape: readonly number[] }): JaxArray;
    matmul(a: JaxArray, b: JaxArray): JaxArray;
  };
}

/** Maximum number of GEMMs in flight, which bounds memory use. */
const IN_FLIGHT = 8;

/** jax-js evaluates lazily and skips a GEMM whose result is unused, so every GEMM is awaited. */
const jax: Open = async (file, { a: aData, b: bData, m, n, k }) => {
  const { init, defaultDevice, numpy } = (await load(file)) as Jax;
  const devices = await init('webgpu');
  if (!devices.includes('webgpu')) throw new Error('jax-js did not open a WebGPU device.');
  defaultDevice('webgpu');
  const [a, b] = [numpy.array(aData, { shape: [m, k] }), numpy.array(bData, { shape: [k, n] })];
  let last: JaxArray | undefined;
  const keep = (product: JaxArray): void => {
    last?.dispose();
    last = product;
  };
  return {
    multiply: async products => {
      const inFlight: Promise<JaxArray>[] = [];
      const oldest = async (): Promise<void> => {
        const product = inFlight.shift();
        if (product !== undefined) keep(await product);
      };
      for (let i = 0; i < products; i++) {
        if (inFlight.length === IN_FLIGHT) await oldest();
        inFlight.push(numpy.matmul(a.ref, b.ref).blockUntilReady());
      }
      while (inFlight.length > 0) await oldest();
      // jax-js waits by mapping zero bytes, which a driver may complete before the GEMM ends.
      // Reading an element of C completes only after the GEMM.
      await last?.ref.slice(m - 1, n - 1).data();
    },
    result: async () => {
      if (last === undefined) throw new Error('jax-js has not computed a GEMM yet.');
      return last.ref.data();
    },
  };
};

export const OPEN = { tfjs, 'jax-js': jax } as const satisfies Readonly<Record<string, Open>>;
