/**
 * Abilities of the host that runs the extension: a Node extension host, or a web worker in a
 * browser (vscode.dev). The rest of this folder only uses what both provide: `vscode` and web
 * standards.
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
  /** Searches for nvcc and starts it. Requires a trusted workspace. */
  readonly findNvcc: () => Promise<FoundCompiler>;
  readonly cudaBackend: (onDiagnostics?: CudaOptions['onDiagnostics']) => Backend;
  /**
   * Measures and stores the ceilings of the GPU. Absent if processes cannot be started. Requires a
   * trusted workspace.
   */
  readonly measureCeilings?: (context: RunContext) => Promise<FoundCeilings>;
  /**
   * Searches for the fastest schedule. Absent if processes cannot be started. Requires a trusted
   * workspace.
   */
  readonly tune?: (wanted: WantedTune, context: TuneRunContext) => Promise<TuneEnd>;
  /** Runs CUDA kernels on the CPU. Absent if no C++ compiler can be started. */
  readonly cpuBackend?: (onDiagnostics?: CudaOptions['onDiagnostics']) => Backend;
  /** Reports the installed tools, one per entry. */
  readonly doctor: () => Promise<readonly Tool[]>;
  /** Returns the diagnostics of a WGSL compiler. Starts it, so it requires a trusted workspace. */
  readonly checkWgsl: (source: string, options: WgslOptions) => Promise<CheckedWgsl>;
  /** Absent if processes cannot be started. Requires a trusted workspace. */
  readonly dawn?: DawnAbility;
  /**
   * Runs a CUDA kernel under Nsight Compute. Absent if processes cannot be started. Requires a
   * trusted workspace.
   */
  readonly profile?: (runnable: Runnable, options: ProfileRequest) => Promise<Profiled>;
  readonly files: WorkspaceFiles;
  /** Absent if no browser on the user's machine can be served. Requires a trusted workspace. */
  readonly serveBrowserPage?: (options: BrowserPageOptions) => Promise<BrowserConnection>;
  /** Interprets a kernel of small size; yields to the host between blocks. */
  readonly simulate: Backend;
}

/** WebGPU outside a browser: location, installation and removal. */
export interface DawnAbility {
  readonly about: {
    /** Name of the npm package. */
    readonly name: string;
    readonly version: string;
    readonly downloadMegabytes: number;
    readonly diskMegabytes: number;
    readonly folder: string;
  };
  readonly locate: () => Promise<LocatedDawn>;
  readonly probe: () => Promise<Availability>;
  /** Called after the user has agreed. */
  readonly install: (signal: AbortSignal) => Promise<Installed>;
  readonly remove: () => Promise<Installed>;
}

export interface WantedTune {
  readonly spec: ResolvedSpec;
  readonly backend: TunableBackend;
  /** Measurements are stored in `.gemm/tune` below it; without a root, in the user's cache. */
  readonly root: vscode.Uri | undefined;
  /** Tables that provide the default of a WebGPU adapter, which is tried first. */
  readonly adapterTables: readonly DispatchTable[];
}

export interface BrowserPageOptions {
  readonly extension: vscode.Uri;
  /** Raw data, not decoded. */
  readonly onMessage: (data: unknown) => void;
  readonly onDisconnected: () => void;
  readonly onClosed: () => void;
}

export interface BrowserConnection {
  /** Opens the browser with a single-use URL. Resolves to false if no browser was opened. */
  readonly open: () => Promise<boolean>;
  readonly post: (message: ToWebview) => void;
  readonly close: () => void;
}

/** `why` names the missing tool, `next` the remedy. */
export type FoundCompiler =
  | { readonly ok: true; readonly compiler: CudaCompiler }
  | { readonly ok: false; readonly why: string; readonly next: string };

export interface CudaCompiler {
  /** Such as `13.0.88`. */
  readonly build: string;
  /** Compiles one kernel file to a cubin, with the resources of each kernel. */
  readonly compile: (source: string, options: CompileRequest) => Promise<Compiled>;
  /** Compiles one kernel file to readable PTX. */
  readonly ptx: (source: string, options: CompileRequest) => Promise<Ptx>;
  /** Disassembles to readable SASS, if NVIDIA's disassembler is installed. */
  readonly sass: (source: string, options: CompileRequest) => Promise<Ptx>;
  /** Reads the access sites of a kernel without spec from its PTX. */
  readonly accesses: (runnable: Runnable, options: CompileRequest) => Promise<ReadAccesses>;
  /**
   * Reads kernel facts from a listing. It is an ability because listings are not available in a
   * browser.
   */
  readonly inspect: (listing: InspectedText) => Promise<Inspection>;
  /** Returns the listing for a diff: renumbered registers and labels are normalized. */
  readonly normalised: (text: string, language: 'ptx' | 'sass') => string;
}

export type ProfileRequest = Pick<ProfileOptions, 'signal' | 'compileTimeoutMs' | 'onProgress'>;

export interface WgslOptions {
  /** Non-default limits that the kernel's spec requires. */
  readonly limits:
    { readonly invocations: number; readonly workgroupStorageBytes: number } | undefined;
  readonly signal: AbortSignal;
}

export interface WgslRequest extends WgslOptions {
  /** If false, checks only in an open page. */
  readonly mayStart: boolean;
}

/** Diagnostics have one-based lines and columns. Without a compiler, contains the reason. */
export type CheckedWgsl =
  | { readonly ok: true; readonly messages: readonly WgslMessage[] }
  | { readonly ok: false; readonly why: string };

export interface CompileRequest {
  /** Such as `sm_90`. */
  readonly arch: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Writes files for the user inside a workspace folder. Requires a trusted workspace. */
export interface WorkspaceFiles {
  readonly writeGenerated: (file: GeneratedFile) => Promise<WriteResult>;
  /** Appends lines to a run history file in `.gemm/runs` in a single write. */
  readonly appendLines: (
    root: vscode.Uri,
    name: string,
    lines: readonly string[],
  ) => Promise<AppendResult>;
  /** Lists the run history files of a workspace folder; empty without a history. */
  readonly listRuns: (root: vscode.Uri) => Promise<ListedFolder>;
  /** Makes a row the default for its shape, in `.gemm/dispatch.json` below `root`. */
  readonly adoptRow: (root: vscode.Uri, row: DispatchRow) => Promise<AppendResult>;
}

export interface GeneratedFile {
  /** Workspace folder that contains all written files. */
  readonly root: vscode.Uri;
  /** Subfolder of the root; default is the root itself. */
  readonly folder?: string;
  readonly name: string;
  readonly text: string;
  /** The user confirmed to replace an edited or foreign file. */
  readonly replace?: boolean;
}

export type WriteResult =
  | { readonly written: vscode.Uri }
  /** The file was edited or is not generated by us; it was left unchanged. */
  | { readonly kept: 'edited' | 'foreign' }
  /** Nothing was written; `failed` contains the reason and the remedy. */
  | { readonly failed: string };

export type AppendResult = { readonly written: vscode.Uri } | { readonly failed: string };
