/**
 * Every message between the extension and the explorer's webview: one declaration each, decoded on
 * arrival. The webview names no path, command or executable (docs/architecture.md, invariant 2).
 */
import * as v from 'valibot';
import { COMPARED } from './core/profile/listing/compare';
import { INSTRUCTION_CLASSES } from './core/profile/listing/instruction';
import { specSchema, TARGETS } from './core/spec/schema';
import { BACKENDS, measurementSchema } from './core/measure/measurement';
import { tuneSchema } from './core/search/tune/shown';

/** Messages of more JSON than this are dropped by both sides: a spec or a measurement is a few kilobytes. */
export const MAX_MESSAGE_BYTES = 1_000_000;

/** A reason may quote what was sent; as much is read. */
const MAX_REASON_CHARACTERS = 300;

export const CHART_FORMATS = ['svg', 'png', 'csv'] as const;
export type ChartFormat = (typeof CHART_FORMATS)[number];

/** What a compiler's output may be read as; only one of them runs. */
export const LISTINGS = ['ptx', 'sass'] as const;
export type ListingLanguage = (typeof LISTINGS)[number];

/** A chart is some tens of kilobytes; with its frame it stays below the message's limit. */
export const MAX_CHART_CHARACTERS = 900_000;

/** A field of the spec's form, such as `schedule.block.m`. */
const FIELD_PATH = /^(?:problem|schedule)(?:\.[a-zA-Z]{1,20}){1,3}$/;
/** Of a side's messages, from 1; 0 before the first. */
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const runId = v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,64}$/));
const text = v.pipe(v.string(), v.maxLength(20_000));

/** A kernel for the webview to run on its own GPU: decoded again, and only its text reaches the GPU. */
const webgpuJob = v.object({
  id: runId,
  mode: v.picklist(['verify', 'time']),
  seed: v.pipe(v.number(), v.safeInteger()),
  /** The WGSL that is run: an edited file runs as edited. */
  source: v.pipe(v.string(), v.maxLength(500_000)),
  /** Which of its kernels; without it the first one that is described. */
  entry: v.optional(text),
  /** The spec of a generated or edited kernel; null for a hand-written one. */
  spec: v.nullable(specSchema),
});

/** Instructions in what nvcc made of a kernel: of the loop that multiplies, by iteration. */
const compiledLoop = v.object({
  total: v.number(),
  /** Of them, those that some iterations skip. */
  conditional: v.number(),
  /** Multiply-add instructions a load from shared memory, and bytes of each memory a multiply-add. */
  fmaPerSharedLoad: v.optional(v.number()),
  sharedBytesPerFma: v.optional(v.number()),
  globalBytesPerFma: v.optional(v.number()),
  /** Iterations of the text in one of it; null where the loop IR tells of no such loop. */
  unrolled: v.nullable(v.number()),
  /** Beside the loop IR; null where that does not say. */
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
  /** What the explorer shows. Sent after `ready` and whenever the host's side changes. */
  v.object({
    type: v.literal('show'),
    /** Counts what is shown: after a newer one, an older one says nothing any more. */
    revision: count,
    /** The document is shown since this revision: edits made on an earlier one are not of it, and do not count. */
    since: count,
    /** This page's newest edit that was known. Later ones of the same document are newer than this spec. */
    edit: count,
    spec: specSchema,
    /** Where it comes from, for the title only, e.g. `first.gemm.json`. */
    name: text,
    /** Tells files of one name apart, and says nothing else of where it lies. */
    document: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
    /** The spec file does not hold what is shown: it was changed in Restricted Mode, or could not be written. */
    unwritten: v.optional(v.boolean()),
    /** A text that no spec gives, which is followed: only what was measured of it is known. */
    own: v.optional(
      v.object({
        name: text,
        entry: text,
        origin: v.picklist(['edited', 'hand-written']),
        /** Runs are of a text and of a kernel in it. */
        sourceHash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
        specKey: text,
        /** Its problem and device; a schedule says nothing of such a text. */
        spec: specSchema,
      }),
    ),
    /** Language of the file that is shown; the page turns to it when another file is. */
    target: v.optional(v.picklist(TARGETS)),
    trusted: v.boolean(),
    /** The same page can be had in the user's browser. */
    canOpenInBrowser: v.optional(v.boolean()),
    /** Backends that the extension's machine can run, and why not for the others. */
    backends: v.array(v.object({ id: v.picklist(BACKENDS), available: v.boolean(), note: text })),
    /** Measurements of this workspace, newest last; the view picks those of its spec. */
    runs: v.array(measurementSchema),
    /** Scrolls to this part, or gives this field the keys: its path in the spec. */
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
    /** Static. */
    sharedBytes: v.number(),
    spillStores: v.number(),
    spillLoads: v.number(),
    compiler: text,
  }),
  /** What a listing of a kernel of one text says, for one architecture. */
  v.object({
    type: v.literal('inspected'),
    sourceHash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
    entry: text,
    arch: text,
    language: v.picklist(LISTINGS),
    compiler: text,
    /** By class: of the whole text, and in an iteration of the loop. */
    counts: v.array(
      v.object({ kind: v.picklist(INSTRUCTION_CLASSES), whole: v.number(), loop: v.number() }),
    ),
    loop: v.nullable(compiledLoop),
    /** What these numbers do not say. */
    limits: v.array(text),
  }),
  /** How far a tune is, or what came of it: the newest one, whole each time. */
  v.object({ type: v.literal('tune'), tune: tuneSchema }),
  v.object({ type: v.literal('runWebgpu'), job: webgpuJob }),
  v.object({ type: v.literal('cancel'), id: runId }),
  /** A text of the editor for the page's WGSL compiler, with the limits that its spec raises. */
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
  /** An edit replaces the spec: of a page's edits the one that it counted last is the one that counts. */
  v.object({
    type: v.literal('changeSpec'),
    spec: specSchema,
    /** Counts the edits of this page. */
    edit: count,
    /** The newest `show` that the page had seen. */
    revision: count,
  }),
  /** Write the kernel files of the shown spec and open them. */
  v.object({ type: v.literal('generate') }),
  /** Save the shown spec, its analysis and the roofline into the workspace. */
  v.object({ type: v.literal('exportReport') }),
  /** Save the roofline where its reader says: SVG and CSV as text, PNG in base64. */
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
  /** Search the fastest schedule of the shown problem; end the search; keep its winner. */
  v.object({ type: v.literal('tune'), ask: v.picklist(['start', 'cancel', 'adopt']) }),
  /** Progress and result of a `runWebgpu` job. */
  v.object({
    type: v.literal('progress'),
    id: runId,
    stage: text,
    fraction: v.optional(v.number()),
  }),
  v.object({ type: v.literal('measured'), id: runId, measurement: measurementSchema }),
  /** The errors of a `checkWgsl` text, counted from 1; null where the page has no GPU. */
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
  /** Write the shown spec to its file, or show what the file holds. */
  v.object({ type: v.literal('writeSpec') }),
  v.object({ type: v.literal('readSpec') }),
  /** Compile the shown CUDA kernel and open its PTX. */
  v.object({ type: v.literal('showPtx') }),
  /** Compile it and say what the compiler made of it, without opening the listing. */
  v.object({ type: v.literal('inspect'), language: v.picklist(LISTINGS) }),
  /** The adapter that this page runs WebGPU on; null where it has none. */
  v.object({
    type: v.literal('adapter'),
    adapter: v.nullable(text),
    /** What the adapter offers a workgroup. */
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
  if (size === null) return { ok: false, reason: 'message: is no JSON' };
  if (size > MAX_MESSAGE_BYTES) return { ok: false, reason: `message: has ${size} bytes` };
  const result = v.safeParse(schema, data);
  if (result.success) return { ok: true, message: result.output };
  const [issue] = result.issues;
  const reason = `${v.getDotPath(issue) ?? 'message'}: ${issue.message}`;
  return { ok: false, reason: reason.slice(0, MAX_REASON_CHARACTERS) };
};

/** Null for what JSON cannot hold, such as a cycle, which a message may well have. */
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
