/**
 * What the place that the extension runs in can do: a Node extension host, or a web worker in a browser
 * (vscode.dev). Everything else of this folder uses only what both have: `vscode` and the web's standards.
 */
import type * as vscode from 'vscode';
import type { InspectedText, Inspection } from '../core/profile/listing/inspect';
import type { DispatchRow } from '../core/defaults/dispatch/row';
import type { Runnable } from '../core/kernel/kernel';
import type { ResolvedSpec } from '../core/spec/resolved';
import type { Availability, Backend, RunContext } from '../core/measure/backend';
import type { ListedFolder } from '../core/measure/historyReader';
import type { CudaOptions } from '../host/cuda/backend';
import type { FoundCeilings } from '../host/cuda/runner/measureCeilings';
import type { LocatedDawn } from '../host/dawn/backend';
import type { Installed } from '../host/dawn/installFailure';
import type { WgslMessage } from '../host/dawn/job';
import type { Tool } from '../host/doctor';
import type { ReadAccesses } from '../host/accesses';
import type { ProfileOptions, Profiled } from '../host/ncu';
import type { Compiled } from '../host/nvcc';
import type { DispatchTable } from '../core/defaults/dispatch/table';
import type { TunableBackend, TuneEnd, TuneRunContext } from '../host/tune/run';
import type { ToWebview } from '../protocol';
import type { Ptx } from '../host/ptx';

export interface Abilities {
  /** Looks for nvcc; starts it, so only in a trusted workspace. */
  readonly findNvcc: () => Promise<FoundCompiler>;
  readonly cudaBackend: (onDiagnostics?: CudaOptions['onDiagnostics']) => Backend;
  /** Measures what the GPU reaches at best, and keeps it; absent where no program can be started. Only in a trusted workspace. */
  readonly measureCeilings?: (context: RunContext) => Promise<FoundCeilings>;
  /** Searches the fastest schedule; absent where no program can be started. Only in a trusted workspace. */
  readonly tune?: (wanted: WantedTune, context: TuneRunContext) => Promise<TuneEnd>;
  /** CUDA texts on the CPU; absent where no C++ compiler can be started. */
  readonly cpuBackend?: (onDiagnostics?: CudaOptions['onDiagnostics']) => Backend;
  /** What there is of what the extension can use, a line a tool. */
  readonly doctor: () => Promise<readonly Tool[]>;
  /** What a WGSL compiler says of a text; starts it, so only in a trusted workspace. */
  readonly checkWgsl: (source: string, options: WgslOptions) => Promise<CheckedWgsl>;
  /** Absent where no program can be started. Only in a trusted workspace. */
  readonly dawn?: DawnAbility;
  /** Runs a CUDA kernel under Nsight Compute; absent where no program can be started. Only in a trusted workspace. */
  readonly profile?: (runnable: Runnable, options: ProfileRequest) => Promise<Profiled>;
  readonly files: WorkspaceFiles;
  /** Absent where no browser on the user's machine can be served. Only in a trusted workspace. */
  readonly serveBrowserPage?: (options: BrowserPageOptions) => Promise<BrowserConnection>;
  /** Interprets a kernel, small sizes; lets the host do other work between two blocks. */
  readonly simulate: Backend;
}

/** WebGPU outside of a browser: where it is, and how it comes and goes. */
export interface DawnAbility {
  readonly about: {
    /** Of the npm package. */
    readonly name: string;
    readonly version: string;
    readonly downloadMegabytes: number;
    readonly diskMegabytes: number;
    readonly folder: string;
  };
  readonly locate: () => Promise<LocatedDawn>;
  readonly probe: () => Promise<Availability>;
  /** The user has agreed. */
  readonly install: (signal: AbortSignal) => Promise<Installed>;
  readonly remove: () => Promise<Installed>;
}

export interface WantedTune {
  readonly spec: ResolvedSpec;
  readonly backend: TunableBackend;
  /** Its measurements are kept below, in `.gemm/tune`; without one in the user's cache. */
  readonly root: vscode.Uri | undefined;
  /** That a WebGPU adapter's default is from, which is tried first. */
  readonly adapterTables: readonly DispatchTable[];
}

export interface BrowserPageOptions {
  readonly extension: vscode.Uri;
  /** Not decoded yet. */
  readonly onMessage: (data: unknown) => void;
  readonly onDisconnected: () => void;
  readonly onClosed: () => void;
}

export interface BrowserConnection {
  /** Opens the browser, with an address that works once; false when none was opened. */
  readonly open: () => Promise<boolean>;
  readonly post: (message: ToWebview) => void;
  readonly close: () => void;
}

/** `why` says what is missing, `next` what to do about it. */
export type FoundCompiler =
  | { readonly ok: true; readonly compiler: CudaCompiler }
  | { readonly ok: false; readonly why: string; readonly next: string };

export interface CudaCompiler {
  /** Such as `13.0.88`. */
  readonly build: string;
  /** One kernel file to a cubin, with the resources of each of its kernels. */
  readonly compile: (source: string, options: CompileRequest) => Promise<Compiled>;
  /** One kernel file to PTX that is there to be read. */
  readonly ptx: (source: string, options: CompileRequest) => Promise<Ptx>;
  /** The same of SASS, where NVIDIA's disassembler is there. */
  readonly sass: (source: string, options: CompileRequest) => Promise<Ptx>;
  /** Access sites of a kernel that no spec gives, from its PTX. */
  readonly accesses: (runnable: Runnable, options: CompileRequest) => Promise<ReadAccesses>;
  /** What a listing says of its kernels: here, since a browser has no listing. */
  readonly inspect: (listing: InspectedText) => Promise<Inspection>;
  /** For a difference: without what only renumbers. */
  readonly normalised: (text: string, language: 'ptx' | 'sass') => string;
}

export type ProfileRequest = Pick<ProfileOptions, 'signal' | 'compileTimeoutMs' | 'onProgress'>;

export interface WgslOptions {
  /** Limits that the kernel's spec raises. */
  readonly limits:
    { readonly invocations: number; readonly workgroupStorageBytes: number } | undefined;
  readonly signal: AbortSignal;
}

export interface WgslRequest extends WgslOptions {
  /** False: the text is checked in the page where one is open, and nowhere else. */
  readonly mayStart: boolean;
}

/** Messages count lines and columns from 1; without a compiler, why. */
export type CheckedWgsl =
  | { readonly ok: true; readonly messages: readonly WgslMessage[] }
  | { readonly ok: false; readonly why: string };

export interface CompileRequest {
  /** Such as `sm_90`. */
  readonly arch: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Writing for the user, inside a workspace folder: only in a trusted workspace. */
export interface WorkspaceFiles {
  readonly writeGenerated: (file: GeneratedFile) => Promise<WriteResult>;
  /** Appends lines to a file of the run history in `.gemm/runs`, in one write. */
  readonly appendLines: (
    root: vscode.Uri,
    name: string,
    lines: readonly string[],
  ) => Promise<AppendResult>;
  /** The files of a workspace folder's run history; none when it has no history. */
  readonly listRuns: (root: vscode.Uri) => Promise<ListedFolder>;
  /** Makes a row the default of its shape: below `root`, in `.gemm/dispatch.json`. */
  readonly adoptRow: (root: vscode.Uri, row: DispatchRow) => Promise<AppendResult>;
}

export interface GeneratedFile {
  /** Folder that everything stays in: the workspace's. */
  readonly root: vscode.Uri;
  /** Folder below it; default the root itself. */
  readonly folder?: string;
  readonly name: string;
  readonly text: string;
  /** The user was asked: replaces an edited or foreign file. */
  readonly replace?: boolean;
}

export type WriteResult =
  | { readonly written: vscode.Uri }
  /** The file was changed by its owner, or was never ours: it is as it was. */
  | { readonly kept: 'edited' | 'foreign' }
  /** Nothing was written; `failed` says why, and what to do. */
  | { readonly failed: string };

export type AppendResult = { readonly written: vscode.Uri } | { readonly failed: string };
