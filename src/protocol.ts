/**
 * All messages between the extension and the explorer's webview: one declaration each, decoded on
 * arrival. Webview messages contain no path, command or executable (docs/architecture.md, invariant
 * 2).
 */
import * as v from 'valibot';
import { COMPARED } from './core/profile/listing/compare';
import { INSTRUCTION_CLASSES } from './core/profile/listing/instruction';
import { specSchema, TARGETS } from './core/spec/schema';
import { BACKENDS, measurementSchema } from './core/measure/measurement';
import { tuneSchema } from './core/search/tune/shown';

/** Both sides drop larger JSON messages; a spec or a measurement has a few kilobytes. */
export const MAX_MESSAGE_BYTES = 1_000_000;

/** Limit of an error message, which may quote the input. */
const MAX_REASON_CHARACTERS = 300;

export const CHART_FORMATS = ['svg', 'png', 'csv'] as const;
export type ChartFormat = (typeof CHART_FORMATS)[number];

/** Listings of a compiled kernel; only SASS runs. */
export const LISTINGS = ['ptx', 'sass'] as const;
export type ListingLanguage = (typeof LISTINGS)[number];

/** A chart has some tens of kilobytes; with its frame it stays below the message limit. */
export const MAX_CHART_CHARACTERS = 900_000;

/** A field of the spec form, such as `schedule.block.m`. */
const FIELD_PATH = /^(?:problem|schedule)(?:\.[a-zA-Z]{1,20}){1,3}$/;
/** Message counter of one side, from 1; 0 before the first message. */
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const runId = v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,64}$/));
const text = v.pipe(v.string(), v.maxLength(20_000));

/**
 * A kernel for the webview to run on its GPU. It is decoded again, and only its text reaches the
 * GPU.
 */
const webgpuJob = v.object({
  id: runId,
  mode: v.picklist(['verify', 'time']),
  seed: v.pipe(v.number(), v.safeInteger()),
  /** The WGSL that runs: an edited file runs as edited. */
  source: v.pipe(v.string(), v.maxLength(500_000)),
  /** Name of the kernel; default: the first annotated one. */
  entry: v.optional(text),
  /** The spec of a generated or edited kernel; null for a hand-written one. */
  spec: v.nullable(specSchema),
});

/** Compiled instructions of a kernel's main loop, per iteration. */
const compiledLoop = v.object({
  total: v.number(),
  /** Number of predicated instructions among them. */
  conditional: v.number(),
  /** FMA instructions per shared-memory load, and bytes per FMA for each memory. */
  fmaPerSharedLoad: v.optional(v.number()),
  sharedBytesPerFma: v.optional(v.number()),
  globalBytesPerFma: v.optional(v.number()),
  /** Source iterations per compiled iteration; null if the loop IR has no matching loop. */
  unrolled: v.nullable(v.number()),
  /** Comparison with the loop IR; null if there is none. */
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
  /** Content of the explorer. Sent after `ready` and after every change of the host state. */
  v.object({
    type: v.literal('show'),
    /** Revision of the content; older revisions are obsolete. */
    revision: count,
    /** First revision of this document: edits based on an earlier revision are ignored. */
    since: count,
    /**
     * Newest edit of this page that the host received. Later edits of the same document are newer
     * than this spec.
     */
    edit: count,
    spec: specSchema,
    /** Origin, for the title only, e.g. `first.gemm.json`. */
    name: text,
    /** Hash that distinguishes files of the same name without revealing the path. */
    document: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
    /** The spec file differs: the spec was changed in Restricted Mode, or could not be written. */
    unwritten: v.optional(v.boolean()),
    /** The followed kernel, if no spec generates it: only its measurements are known. */
    own: v.optional(
      v.object({
        name: text,
        entry: text,
        origin: v.picklist(['edited', 'hand-written']),
        /** Runs are identified by the text and the kernel in it. */
        sourceHash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
        specKey: text,
        /** Its problem and device; the schedule does not apply to this text. */
        spec: specSchema,
      }),
    ),
    /** Language of the shown file; the page switches to it when another file is shown. */
    target: v.optional(v.picklist(TARGETS)),
    trusted: v.boolean(),
    /** The page can be opened in the user's browser. */
    canOpenInBrowser: v.optional(v.boolean()),
    /** Backends of the extension's machine, with reasons for unavailable backends. */
    backends: v.array(v.object({ id: v.picklist(BACKENDS), available: v.boolean(), note: text })),
    /** Measurements of this workspace, newest last; the view selects those of its spec. */
    runs: v.array(measurementSchema),
    /** Scrolls to this section, or focuses this field: its path in the spec. */
    focus: v.optional(
      v.union([
        v.picklist(['configuration', 'roofline', 'code', 'tune']),
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
  /** Compiler facts of a kernel of one text, for one architecture; they replace the estimate. */
  v.object({
    type: v.literal('compiled'),
    sourceHash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
    entry: text,
    /** Such as `sm_90`. */
    arch: text,
    registers: v.number(),
    /** Static shared memory. */
    sharedBytes: v.number(),
    spillStores: v.number(),
    spillLoads: v.number(),
    compiler: text,
  }),
  /** Facts from the listing of one kernel, for one architecture. */
  v.object({
    type: v.literal('inspected'),
    sourceHash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
    entry: text,
    arch: text,
    language: v.picklist(LISTINGS),
    compiler: text,
    /** Per instruction class: in the whole kernel, and per loop iteration. */
    counts: v.array(
      v.object({ kind: v.picklist(INSTRUCTION_CLASSES), whole: v.number(), loop: v.number() }),
    ),
    loop: v.nullable(compiledLoop),
    /** Limitations of these numbers. */
    limits: v.array(text),
  }),
  /** Progress or result of the newest tune, complete each time. */
  v.object({ type: v.literal('tune'), tune: tuneSchema }),
  v.object({ type: v.literal('runWebgpu'), job: webgpuJob }),
  v.object({ type: v.literal('cancel'), id: runId }),
  /** Text of an editor for the page's WGSL compiler, with the non-default limits of its spec. */
  v.object({
    type: v.literal('checkWgsl'),
    id: runId,
    source: v.pipe(v.string(), v.maxLength(500_000)),
    limits: v.optional(v.object({ invocations: v.number(), workgroupStorageBytes: v.number() })),
  }),
  v.object({ type: v.literal('failed'), id: v.optional(runId), message: text }),
]);

const fromWebview = v.variant('type', [
  v.object({ type: v.literal('ready') }),
  /** An edit replaces the spec. The edit with the highest count of a page takes precedence. */
  v.object({
    type: v.literal('changeSpec'),
    spec: specSchema,
    /** Counts the edits of this page. */
    edit: count,
    /** The newest `show` that the page received before the edit. */
    revision: count,
  }),
  /** Write the kernel files of the shown spec and open them. */
  v.object({ type: v.literal('generate') }),
  /** Save the shown spec, its analysis and the roofline in the workspace. */
  v.object({ type: v.literal('exportReport') }),
  /** Save the roofline at a location that the user chooses: SVG and CSV as text, PNG in base64. */
  v.object({
    type: v.literal('exportChart'),
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
   * Search for the fastest schedule of the shown problem, cancel the search, or adopt its winner.
   */
  v.object({ type: v.literal('tune'), ask: v.picklist(['start', 'cancel', 'adopt']) }),
  /** Progress and result of a `runWebgpu` job. */
  v.object({
    type: v.literal('progress'),
    id: runId,
    stage: text,
    fraction: v.optional(v.number()),
  }),
  v.object({ type: v.literal('measured'), id: runId, measurement: measurementSchema }),
  /** The errors of a `checkWgsl` text, with one-based positions; null if the page has no GPU. */
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
  /** Write the shown spec to its file, or reload it from the file. */
  v.object({ type: v.literal('writeSpec') }),
  v.object({ type: v.literal('readSpec') }),
  /** Compile the shown CUDA kernel and open its PTX. */
  v.object({ type: v.literal('showPtx') }),
  /** Compile it and inspect the result without opening the listing. */
  v.object({ type: v.literal('inspect'), language: v.picklist(LISTINGS) }),
  /** The WebGPU adapter of this page; null if there is none. */
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
export type FromWebview = v.InferOutput<typeof fromWebview>;
export type WebgpuJob = v.InferOutput<typeof webgpuJob>;

export type DecodedMessage<T> =
  { readonly ok: true; readonly message: T } | { readonly ok: false; readonly reason: string };

const decode = <T>(schema: v.GenericSchema<unknown, T>, data: unknown): DecodedMessage<T> => {
  const size = sizeOf(data);
  if (size === null) return { ok: false, reason: 'message: expected JSON' };
  if (size > MAX_MESSAGE_BYTES) return { ok: false, reason: `message: has ${size} bytes` };
  const result = v.safeParse(schema, data);
  if (result.success) return { ok: true, message: result.output };
  const [issue] = result.issues;
  const reason = `${v.getDotPath(issue) ?? 'message'}: ${issue.message}`;
  return { ok: false, reason: reason.slice(0, MAX_REASON_CHARACTERS) };
};

/**
 * Returns null for values that JSON cannot represent, such as a cycle; a message may contain them.
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
