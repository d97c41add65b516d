/**
 * Defines all messages between the extension and the explorer's webview. Received messages are
 * decoded before use. Messages from the webview contain no path, command or executable
 * (docs/architecture.md, invariant 2).
 */
import * as v from 'valibot';
import { COMPARED } from './core/profile/listing/compare';
import { INSTRUCTION_CLASSES } from './core/profile/listing/instruction';
import { specSchema, TARGETS } from './core/spec/schema';
import { BACKENDS, measurementSchema } from './core/measure/measurement';
import { tuneSchema } from './core/search/tune/shown';

/** Maximum number of characters in a JSON message; longer messages are rejected. */
export const MAX_MESSAGE_BYTES = 1_000_000;

/** Maximum number of characters in an error message, because errors may quote the input. */
const MAX_REASON_CHARACTERS = 300;

export const CHART_FORMATS = ['svg', 'png', 'csv'] as const;
/** Charts that can be saved. They are the first part of the file name. */
export const CHART_NAMES = [
  'roofline',
  'size-sweep',
  'tuning',
  'comparison',
  'occupancy',
  'banks',
  'requests',
  'tile-map',
  'layout',
] as const;
export type ChartName = (typeof CHART_NAMES)[number];
export type ChartFormat = (typeof CHART_FORMATS)[number];

/** Listing languages of a compiled kernel. SASS is the machine code that runs on the GPU. */
export const LISTINGS = ['ptx', 'sass'] as const;
export type ListingLanguage = (typeof LISTINGS)[number];

/** Maximum number of characters in an exported chart, below the message limit. */
export const MAX_CHART_CHARACTERS = 900_000;

/** Path of a spec field, such as `schedule.block.m`. */
export const FIELD_PATH = /^(?:problem|schedule)(?:\.[a-zA-Z]{1,20}){1,3}$/;
/** Revision of the state or count of edits. */
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const runId = v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,64}$/));
const text = v.pipe(v.string(), v.maxLength(20_000));
const sourceHash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
/** Maximum number of highlighted line ranges. */
export const MAX_LINE_RANGES = 100;
/** Line number, counted from 1. */
const line = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

/** Cost per request of each access, in sectors or wavefronts. */
const accesses = v.array(
  v.object({ site: text, widthBytes: v.number(), cost: v.number(), ideal: v.number() }),
);
const note = v.object({ level: v.picklist(['info', 'advice', 'warning']), text });

/** A kernel that the page runs on its GPU. */
const webgpuJob = v.object({
  id: runId,
  mode: v.picklist(['verify', 'time']),
  seed: v.pipe(v.number(), v.safeInteger()),
  source: v.pipe(v.string(), v.maxLength(500_000)),
  /** Name of the kernel function; default: the first annotated kernel. */
  entry: v.optional(text),
  /** Spec of a generated or edited kernel; null for a hand-written kernel. */
  spec: v.nullable(specSchema),
});

/** Instruction counts of a compiled kernel's main loop, per iteration. */
const compiledLoop = v.object({
  total: v.number(),
  /** Number of predicated instructions per iteration. */
  conditional: v.number(),
  /** Ratio of FMA instructions to shared-memory loads. */
  fmaPerSharedLoad: v.optional(v.number()),
  sharedBytesPerFma: v.optional(v.number()),
  globalBytesPerFma: v.optional(v.number()),
  /**
   * Source iterations per compiled iteration (unroll factor). Null if the loop IR has no matching
   * loop.
   */
  unrolled: v.nullable(v.number()),
  /** Instruction counts compared with the loop IR; empty if the loop IR has no matching loop. */
  rows: v.array(
    v.object({
      kind: v.picklist(COMPARED),
      compiled: v.number(),
      model: v.nullable(v.number()),
      why: text,
    }),
  ),
});

const toWebview = v.variant('type', [
  /**
   * State that the explorer shows. Sent after `ready` and after every change of the extension's
   * state.
   */
  v.object({
    type: v.literal('show'),
    /** Revision of the state; messages with an older revision are obsolete. */
    revision: count,
    /**
     * First revision of the current document. Edits that are based on an earlier revision are
     * ignored.
     */
    since: count,
    /**
     * Count of the newest edit that the extension received from this page. Later edits of the page
     * are newer than `spec`.
     */
    edit: count,
    spec: specSchema,
    /** Display name of the spec or file, e.g. `first.gemm.json`. */
    name: text,
    /**
     * Hash of the document's URI. It distinguishes files of the same name without revealing the
     * path.
     */
    document: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
    /**
     * Whether the shown spec differs from its file, because it could not be written or was changed
     * in Restricted Mode.
     */
    unwritten: v.optional(v.boolean()),
    /** The shown kernel, if it was not generated from a spec. */
    own: v.optional(
      v.object({
        name: text,
        entry: text,
        origin: v.picklist(['edited', 'hand-written']),
        /** Hash of the source, which identifies measurements together with `entry`. */
        sourceHash,
        specKey: text,
        /** Launch of the kernel, from which its occupancy follows. */
        threads: count,
        dynamicSharedBytes: count,
        /** Spec with the kernel's problem and device. Its schedule does not describe the source. */
        spec: specSchema,
      }),
    ),
    /**
     * Language of the shown file. The page switches to this language when the shown file changes.
     */
    target: v.optional(v.picklist(TARGETS)),
    trusted: v.boolean(),
    /** Whether the page can be opened in the user's browser. */
    canOpenInBrowser: v.optional(v.boolean()),
    /** Backends on the extension's machine, with the reason for each unavailable backend. */
    backends: v.array(v.object({ id: v.picklist(BACKENDS), available: v.boolean(), note: text })),
    /** Measurements of this workspace, newest last. */
    runs: v.array(measurementSchema),
    /** Section to scroll to, `top`, or path of a spec field to focus. */
    focus: v.optional(
      v.union([
        v.picklist(['top', 'roofline', 'code', 'tune']),
        v.pipe(v.string(), v.regex(FIELD_PATH)),
      ]),
    ),
  }),
  v.object({ type: v.literal('measured'), id: runId, measurement: measurementSchema }),
  v.object({
    type: v.literal('progress'),
    id: runId,
    stage: text,
    fraction: v.optional(v.number()),
  }),
  /** Compiler facts of a kernel for one architecture; they replace estimated values. */
  v.object({
    type: v.literal('compiled'),
    sourceHash,
    entry: text,
    /** Architecture, such as `sm_90`. */
    arch: text,
    registers: v.number(),
    /** Static shared memory per block in bytes. */
    sharedBytes: v.number(),
    spillStores: v.number(),
    spillLoads: v.number(),
    compiler: text,
    /** Accesses read from PTX, for a kernel without a spec. */
    accesses: v.optional(v.object({ global: accesses, shared: accesses, notes: v.array(note) })),
  }),
  /** Facts from the compiled listing of a kernel for one architecture. */
  v.object({
    type: v.literal('inspected'),
    sourceHash,
    entry: text,
    arch: text,
    language: v.picklist(LISTINGS),
    compiler: text,
    /** Instruction counts per class, in the kernel and per loop iteration. */
    counts: v.array(
      v.object({ kind: v.picklist(INSTRUCTION_CLASSES), whole: v.number(), loop: v.number() }),
    ),
    loop: v.nullable(compiledLoop),
    /** Sentences that describe limitations of these counts. */
    limits: v.array(text),
  }),
  /** Complete state of the newest tuning run: progress or result. */
  v.object({ type: v.literal('tune'), tune: tuneSchema }),
  v.object({ type: v.literal('runWebgpu'), job: webgpuJob }),
  v.object({ type: v.literal('cancel'), id: runId }),
  /**
   * WGSL source from an editor, to be checked by the page's WGSL compiler with the non-default
   * limits of its spec.
   */
  v.object({
    type: v.literal('checkWgsl'),
    id: runId,
    source: v.pipe(v.string(), v.maxLength(500_000)),
    limits: v.optional(v.object({ invocations: v.number(), workgroupStorageBytes: v.number() })),
  }),
  /** The cursor in an editor is in this line of the kernel with this source. */
  v.object({ type: v.literal('cursor'), sourceHash, line }),
  v.object({ type: v.literal('failed'), id: v.optional(runId), message: text }),
]);

const fromWebview = v.variant('type', [
  v.object({ type: v.literal('ready') }),
  /**
   * Replaces the spec. If messages arrive out of order, the edit with the highest count takes
   * precedence.
   */
  v.object({
    type: v.literal('changeSpec'),
    spec: specSchema,
    /** Count of the page's edits, including this edit. */
    edit: count,
    /** Revision of the newest `show` message that the page received before the edit. */
    revision: count,
  }),
  /** Writes the kernel files of the shown spec and opens them. */
  v.object({ type: v.literal('generate') }),
  /** Saves the shown spec, its analysis and the roofline in the workspace. */
  v.object({ type: v.literal('exportReport') }),
  v.object({ type: v.literal('shareResult') }),
  /**
   * Saves the roofline at a location that the user chooses. SVG and CSV are sent as text, PNG in
   * base64.
   */
  v.object({
    type: v.literal('exportChart'),
    name: v.picklist(CHART_NAMES),
    format: v.picklist(CHART_FORMATS),
    content: v.pipe(v.string(), v.maxLength(MAX_CHART_CHARACTERS)),
  }),
  v.object({
    type: v.literal('run'),
    backend: v.picklist(BACKENDS),
    mode: v.picklist(['verify', 'time']),
  }),
  v.object({ type: v.literal('cancelRun'), id: runId }),
  /**
   * Starts or cancels the search for the fastest schedule of the shown problem, or adopts its
   * winner.
   */
  v.object({ type: v.literal('tune'), ask: v.picklist(['start', 'cancel', 'adopt']) }),
  /** Progress of a `runWebgpu` job. */
  v.object({
    type: v.literal('progress'),
    id: runId,
    stage: text,
    fraction: v.optional(v.number()),
  }),
  v.object({ type: v.literal('measured'), id: runId, measurement: measurementSchema }),
  /**
   * Errors of a `checkWgsl` request, with positions that start at 1. Null if the page cannot check
   * WGSL.
   */
  v.object({
    type: v.literal('wgslChecked'),
    id: runId,
    messages: v.nullable(
      v.pipe(
        v.array(v.object({ line: v.number(), column: v.number(), message: text })),
        v.maxLength(100),
      ),
    ),
  }),
  /** Writes the shown spec to its file. */
  v.object({ type: v.literal('writeSpec') }),
  v.object({ type: v.literal('readSpec') }),
  /** Highlights lines of the kernel with this source in the open editors. */
  v.object({
    type: v.literal('highlightLines'),
    sourceHash,
    lines: v.pipe(v.array(v.object({ first: line, last: line })), v.maxLength(MAX_LINE_RANGES)),
  }),
  /** Compiles the shown CUDA kernel and opens its PTX. */
  v.object({ type: v.literal('showPtx') }),
  /** Compiles the shown CUDA kernel and inspects the listing without opening it in an editor. */
  v.object({ type: v.literal('inspect'), language: v.picklist(LISTINGS) }),
  /** Describes the WebGPU adapter of this page; null without an adapter. */
  v.object({
    type: v.literal('adapter'),
    adapter: v.nullable(text),
    /** Workgroup limits of the adapter. */
    limits: v.exactOptional(
      v.object({
        invocations: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
        workgroupStorageBytes: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
      }),
    ),
  }),
  v.object({ type: v.literal('openInBrowser') }),
  v.object({ type: v.literal('manageTrust') }),
  v.object({ type: v.literal('checkToolChain') }),
  v.object({ type: v.literal('log'), text }),
]);

export type ToWebview = v.InferOutput<typeof toWebview>;

/** Content of the explorer's page, without the order of its messages. */
export type ShowContent = Omit<Extract<ToWebview, { type: 'show' }>, 'revision' | 'since' | 'edit'>;

/** Exports of the bundle of webview/firstFrame.tsx. */
export interface FirstFrameBundle {
  readonly firstFrame: (
    content: ShowContent,
    translations: Readonly<Record<string, string>>,
  ) => string;
}
export type FromWebview = v.InferOutput<typeof fromWebview>;
export type WebgpuJob = v.InferOutput<typeof webgpuJob>;

export type DecodedMessage<T> =
  { readonly ok: true; readonly message: T } | { readonly ok: false; readonly reason: string };

const decode = <T>(schema: v.GenericSchema<unknown, T>, data: unknown): DecodedMessage<T> => {
  const size = sizeOf(data);
  if (size === null) return { ok: false, reason: 'message: expected JSON' };
  if (size > MAX_MESSAGE_BYTES)
    return {
      ok: false,
      reason: `message: expected at most ${MAX_MESSAGE_BYTES} characters, got ${size}`,
    };
  const result = v.safeParse(schema, data);
  if (result.success) return { ok: true, message: result.output };
  const [issue] = result.issues;
  const reason = `${v.getDotPath(issue) ?? 'message'}: ${issue.message}`;
  return { ok: false, reason: reason.slice(0, MAX_REASON_CHARACTERS) };
};

/**
 * Returns the length of the JSON encoding. Returns null for values that JSON cannot represent, such
 * as a cyclic object.
 */
function sizeOf(data: unknown): number | null {
  try {
    return JSON.stringify(data ?? null).length;
  } catch {
    return null;
  }
}

export const decodeToWebview = (data: unknown): DecodedMessage<ToWebview> =>
  decode(toWebview, data);
export const decodeFromWebview = (data: unknown): DecodedMessage<FromWebview> =>
  decode(fromWebview, data);
