/**
 * A GPUDevice of our own, with a clock that only its work moves, for what real devices rarely do.
 */
import type { Environment } from '../../src/webgpu/environment';

export interface FakeOptions {
  readonly gpu?: 'absent' | 'no adapter' | 'rejects' | 'silent' | 'no device';
  readonly features?: readonly string[];
  readonly limits?: Readonly<Record<string, number>>;
  /** What makes an adapter offer a feature, by its name. */
  readonly withheld?: Readonly<Record<string, string>>;
  /** Device time of one launch of the kernel under test. */
  readonly launchMs?: number | ((groups: number, code: string) => number);
  /** What a timestamp query reads for a time of the device. */
  readonly stamp?: (ns: number, index: number) => number;
  /** What the host's clock reads. */
  readonly clock?: (ms: number) => number;
  /**
   * What the kernel under test leaves in C; default the right product of square row-major matrices.
   */
  readonly kernel?: 'right' | 'writes nothing' | ((dispatch: FakeDispatch) => void);
  /** What a submit may take; default 1000. */
  readonly submitMs?: number;
  /** The submit from which on nothing settles any more. */
  readonly hangsAt?: number;
  /** Called before each submit. */
  readonly onSubmit?: (submit: number) => void;
  readonly messages?: readonly {
    type: string;
    lineNum: number;
    linePos: number;
    message: string;
  }[];
  readonly scopeError?: { readonly filter: GPUErrorFilter; readonly message: string };
}

export interface FakeDispatch {
  readonly code: string;
  readonly bindings: readonly FakeBinding[];
  readonly grid: { readonly x: number; readonly y: number; readonly z: number };
}

interface FakeBinding {
  readonly buffer: FakeBuffer;
  readonly offset?: number;
}

interface FakeBuffer {
  readonly size: number;
  data: ArrayBuffer;
  destroyed: boolean;
}

interface Pass {
  readonly begin?: number;
  readonly end?: number;
  readonly launches: FakeDispatch[];
}

const LIMITS = {
  maxBufferSize: 2 ** 28,
  maxStorageBufferBindingSize: 2 ** 27,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupSizeY: 256,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupStorageSize: 16_384,
  maxComputeWorkgroupsPerDimension: 65_535,
  minStorageBufferOffsetAlignment: 256,
};

const forever = <T>(): Promise<T> => new Promise<T>(() => undefined);

export function fakeGpu(options: FakeOptions = {}) {
  const { launchMs = 0.02, stamp = (ns: number) => ns } = options;
  const features = new Set(options.features ?? ['timestamp-query']);
  const limits = { ...LIMITS, ...options.limits };
  const buffers: FakeBuffer[] = [];
  const log = {
    devices: 0,
    /** Of the last device. */
    features: [] as GPUFeatureName[],
    destroyed: false,
    submits: [] as number[],
    launches: 0,
    waitedMs: 0,
    buffers,
  };
  let deviceMs = 1;
  let lose: (info: { reason: string; message: string }) => void = () => undefined;
  let hide: () => void = () => undefined;
  let visible = true;
  let stampIndex = 0;

  const hung = (): boolean => log.submits.length >= (options.hangsAt ?? Infinity);
  const settle = <T>(value: T): Promise<T> => (hung() ? forever<T>() : Promise.resolve(value));

  const launch = (dispatch: FakeDispatch): void => {
    const { code, bindings, grid } = dispatch;
    const used = bindings.map(({ buffer }) => buffer);
    const groups = grid.x * grid.y * grid.z;
    if (/\bfn (matmul|gemm_)/.test(code)) {
      log.launches++;
      deviceMs += typeof launchMs === 'number' ? launchMs : launchMs(groups, code);
      // The result of the first is what is verified; the others only take time.
      const { kernel = 'right' } = options;
      if (typeof kernel === 'function') kernel(dispatch);
      else if (log.launches === 1 && kernel === 'right') multiply(used);
    } else if (code.includes('ticks')) deviceMs += 0.004;
    else if (code.includes('iterations')) {
      deviceMs += groups * (new Uint32Array(used[0]!.data)[0] ?? 0) * 1e-4;
    } else deviceMs += groups * 1e-3;
  };

  const createBuffer = ({ size }: { size: number }) => {
    // Large ones are only timed, never read.
    const buffer = {
      size,
      data: new ArrayBuffer(Math.min(size, 2 ** 22)),
      destroyed: false,
      mapAsync: () => settle(undefined),
      getMappedRange: () => buffer.data,
      unmap: () => undefined,
      destroy: () => {
        buffer.destroyed = true;
      },
    };
    buffers.push(buffer);
    return buffer;
  };

  const createCommandEncoder = () => {
    const actions: (() => void)[] = [];
    const times: number[] = [];
    return {
      beginComputePass: (descriptor?: {
        timestampWrites?: { beginningOfPassWriteIndex: number; endOfPassWriteIndex: number };
      }) => {
        const writes = descriptor?.timestampWrites;
        const pass: Pass = { launches: [] };
        let code = '';
        let used: readonly FakeBinding[] = [];
        actions.push(() => {
          if (writes) times[writes.beginningOfPassWriteIndex] = stamp(deviceMs * 1e6, stampIndex++);
          for (const one of pass.launches) launch(one);
          if (writes) times[writes.endOfPassWriteIndex] = stamp(deviceMs * 1e6, stampIndex++);
        });
        return {
          setPipeline: (pipeline: { code: string }) => (code = pipeline.code),
          setBindGroup: (_: number, group: { bindings: FakeBinding[] }) => (used = group.bindings),
          dispatchWorkgroups: (x: number, y: number, z: number) =>
            pass.launches.push({ code, bindings: used, grid: { x, y, z } }),
          end: () => undefined,
        };
      },
      resolveQuerySet: (_: unknown, __: number, ___: number, into: FakeBuffer) =>
        actions.push(() => {
          new BigUint64Array(into.data).set(times.map(time => BigInt(Math.round(time))));
        }),
      copyBufferToBuffer: (from: FakeBuffer, _: number, to: FakeBuffer) =>
        actions.push(() => {
          to.data = from.data.slice(0);
        }),
      finish: () => actions,
    };
  };

  const device = {
    features,
    limits,
    lost: new Promise(() => undefined),
    createBuffer,
    createCommandEncoder,
    createQuerySet: () => ({ destroy: () => undefined }),
    createShaderModule: ({ code }: { code: string }) => ({
      code,
      getCompilationInfo: () =>
        Promise.resolve({ messages: code.includes('matmul') ? (options.messages ?? []) : [] }),
    }),
    createComputePipelineAsync: ({ compute }: { compute: { module: { code: string } } }) =>
      Promise.resolve({ code: compute.module.code, getBindGroupLayout: () => ({}) }),
    createBindGroup: ({ entries }: { entries: { resource: FakeBinding }[] }) => ({
      bindings: entries.map(({ resource }) => resource),
    }),
    scopes: [] as string[],
    pushErrorScope: (filter: string) => device.scopes.push(filter),
    popErrorScope: () => {
      const { scopeError } = options;
      const failing = device.scopes.pop() === scopeError?.filter && buffers.length > 0;
      return Promise.resolve(failing ? { message: scopeError?.message } : null);
    },
    destroy: () => {
      log.destroyed = true;
      lose({ reason: 'destroyed', message: '' });
    },
    queue: {
      writeBuffer: (buffer: FakeBuffer, offset: number, data: ArrayBuffer | ArrayBufferView) => {
        const bytes = ArrayBuffer.isView(data)
          ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
          : new Uint8Array(data);
        new Uint8Array(buffer.data).set(bytes, offset);
      },
      submit: (commands: (() => void)[][]) => {
        options.onSubmit?.(log.submits.length);
        const begin = deviceMs;
        deviceMs += 0.01;
        for (const action of commands.flat()) action();
        log.submits.push(deviceMs - begin);
      },
      onSubmittedWorkDone: () => settle(undefined),
    },
  };

  const adapter = {
    features,
    limits,
    info: { vendor: 'fake', architecture: 'fake-1', device: '', description: 'A fake GPU' },
    requestDevice: (descriptor: GPUDeviceDescriptor) => {
      log.devices++;
      log.features = [...(descriptor.requiredFeatures ?? [])];
      log.launches = 0;
      if (options.gpu === 'no device') return forever();
      device.lost = new Promise(resolve => (lose = resolve));
      return Promise.resolve(device);
    },
  };
  const requestAdapter = () => {
    if (options.gpu === 'silent') return forever();
    if (options.gpu === 'rejects') return Promise.reject(new Error('no driver today'));
    return Promise.resolve(options.gpu === 'no adapter' ? null : adapter);
  };

  const env: Environment = {
    gpu: options.gpu === 'absent' ? undefined : ({ requestAdapter } as unknown as GPU),
    // Reading the clock takes time as well.
    now: () => (options.clock ?? (ms => ms))((deviceMs += 1e-4)),
    // A hundred times faster than the wall, so that watchdogs are quick to test.
    after: (delayMs, action) => {
      const timer = setTimeout(() => {
        log.waitedMs += delayMs;
        action();
      }, delayMs / 100);
      return () => {
        clearTimeout(timer);
      };
    },
    visible: () => visible,
    onHidden: listener => {
      hide = listener;
      return () => (hide = () => undefined);
    },
    losses: { count: 0 },
    robustness: 'on',
    submitMs: options.submitMs ?? 1000,
    where: 'test',
    advice: {
      noApi: 'Get WebGPU.',
      noAdapter: 'Get a driver.',
      restart: 'Reload it.',
      withheld: options.withheld ?? {},
    },
    ceilings: new Map(),
  };
  return {
    env,
    log,
    lose: (message: string) => {
      lose({ reason: 'unknown', message });
    },
    hide: () => {
      visible = false;
      hide();
    },
  };
}

/** C = A B for the square matrices of these tests. */
function multiply([a, b, c]: FakeBuffer[]): void {
  const size = Math.sqrt(a!.size / 4);
  const [left, right, out] = [a!, b!, c!].map(({ data }) => new Float32Array(data));
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      let sum = 0;
      for (let k = 0; k < size; k++) sum += left![row * size + k]! * right![k * size + column]!;
      out![row * size + column] = sum;
    }
  }
}
