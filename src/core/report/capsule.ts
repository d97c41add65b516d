/** Interface of the bundle that writes a capsule: one HTML file with a result, to share. */
import type { Measurement } from '../measure/measurement';
import type { GemmSpec, Target } from '../spec/schema';

/** Content of the `generator` element of a capsule. */
export const CAPSULE_GENERATOR = 'GEMM Explorer capsule';

/** Maximum size of a capsule in bytes. */
export const MAX_CAPSULE_BYTES = 1_000_000;

export interface CapsuleContent {
  readonly spec: GemmSpec;
  /** File name of the spec, without folders. */
  readonly name: string;
  /** Language whose analysis is shown; default: the language of the device. */
  readonly target?: Target;
  /** Runs of any spec, newest last; the capsule contains those of the spec. */
  readonly runs: readonly Measurement[];
  /** Resources that a compiler reported for kernels of the spec. */
  readonly compiled?: readonly CompiledKernel[];
  /** Link that opens the spec in VS Code; null if the spec is too long for a link. */
  readonly link: string | null;
  readonly privacy: Privacy;
  /** Maximum size of the file in bytes; default: `MAX_CAPSULE_BYTES`. */
  readonly mostBytes?: number;
  /** Version of GEMM Explorer. */
  readonly version: string;
  /** BCP 47 tag of the language of the page. */
  readonly language: string;
}

export interface CompiledKernel {
  readonly type: 'compiled';
  readonly sourceHash: string;
  readonly entry: string;
  readonly arch: string;
  readonly compiler: string;
  readonly registers: number;
  readonly sharedBytes: number;
  readonly spillStores: number;
  readonly spillLoads: number;
}

/** Texts of this machine that a capsule must not contain. */
export interface Privacy {
  /** Absolute paths of folders; paths below them are shown relative to them. */
  readonly roots: readonly string[];
  /** Home directory and user name. */
  readonly secrets: readonly string[];
}

export interface Capsule {
  readonly html: string;
  readonly bytes: number;
  /** Items that the file contains. */
  readonly contains: readonly string[];
  /** Parts that were left out because of the size limit, as sentences. */
  readonly omitted: readonly string[];
}

/** The capsule, or the reason why there is none. */
export type CapsuleResult =
  | { readonly ok: true; readonly capsule: Capsule }
  | { readonly ok: false; readonly reason: string };

/** Exports of the bundle of webview/capsule/bundle.ts. */
export interface CapsuleBundle {
  readonly capsuleOf: (
    content: CapsuleContent,
    translations: Readonly<Record<string, string>>,
  ) => CapsuleResult;
}
