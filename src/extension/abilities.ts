/**
 * Abilities of the extension host: the Node extension host, or the web extension host in a browser
 * (vscode.dev). All other modules of this folder use only `vscode` and web standards, which are
 * available on both hosts.
 */
import type * as vscode from 'vscode';
import type { InspectedText, Inspection } from '../core/profile/listing/inspect';
import type { DispatchRow } from '../core/defaults/dispatch/row';
import type { Runnable } from '../core/kernel/kernel';
import type { ResolvedSpec } from '../core/spec/resolved';
import type { Availability, Backend, RunContext } from '../core/measure/backend';
import type { ListedFolder } from '../core/measure/historyReader';
import type { RunOrigin } from '../core/measure/measurement';
import type { AuditContext, AuditEnd, AuditRequest } from '../host/audit/run';
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
import type { Objective, TuneSummary } from '../core/search/tune/events';
import type { SlurmOptions } from '../core/search/tune/slurmOptions';
import type { Measurement } from '../core/measure/measurement';
import type { GemmSpec } from '../core/spec/schema';
import type { JobProgress } from '../host/slurm/follow';
import type { TunableBackend, TuneEnd, TuneRunContext } from '../host/tune/run';
import type { CapsuleContent, CapsuleResult } from '../core/report/capsule';
import type { ShowContent, ToWebview } from '../protocol';
import type { Ptx } from '../host/ptx';

export interface Abilities {
  /** Searches for nvcc and runs it to read its version. Requires a trusted workspace. */
  readonly findNvcc: () => Promise<FoundCompiler>;
  readonly cudaBackend: (onDiagnostics?: CudaOptions['onDiagnostics']) => Backend;
  /**
   * Measures and stores the ceilings of the GPU; absent on hosts that cannot start processes.
   * Requires a trusted workspace.
   */
  readonly measureCeilings?: (context: RunContext) => Promise<FoundCeilings>;
  /**
   * Searches for the fastest schedule; absent on hosts that cannot start processes. Requires a
   * trusted workspace.
   */
  readonly tune?: (wanted: WantedTune, context: TuneRunContext) => Promise<TuneEnd>;
  /**
   * Tunes in the tasks of a Slurm job; absent on hosts that cannot start processes. Requires a
   * trusted workspace.
   */
  readonly tuneOnCluster?: (
    wanted: WantedClusterTune,
    context: ClusterContext,
  ) => Promise<ClusterEnd>;
  /**
   * Benchmarks a list of shapes beside the libraries; absent on hosts that cannot start processes.
   * Requires a trusted workspace.
   */
  readonly audit?: (wanted: WantedAudit, context: AuditContext) => Promise<AuditEnd>;
  /**
   * Creates the backend that runs CUDA kernels on the CPU; absent on hosts that cannot start a C++
   * compiler.
   */
  readonly cpuBackend?: (onDiagnostics?: CudaOptions['onDiagnostics']) => Backend;
  /** Returns one report per development tool, with its version or the reason why it is missing. */
  readonly doctor: () => Promise<readonly Tool[]>;
  /** Checks WGSL in a separate compiler process. Requires a trusted workspace. */
  readonly checkWgsl: (source: string, options: WgslOptions) => Promise<CheckedWgsl>;
  /**
   * WebGPU outside a browser; absent on hosts that cannot start processes. Requires a trusted
   * workspace.
   */
  readonly dawn?: DawnAbility;
  /**
   * Profiles a CUDA kernel with Nsight Compute; absent on hosts that cannot start processes.
   * Requires a trusted workspace.
   */
  readonly profile?: (runnable: Runnable, options: ProfileRequest) => Promise<Profiled>;
  /** Returns how to start the MCP server; absent on hosts that cannot start processes. */
  readonly mcpServer?: () => McpProgram;
  readonly files: WorkspaceFiles;
  /**
   * Renders the first frame of the explorer's page as HTML; absent on hosts that have a single
   * bundle.
   */
  readonly firstFrame?: (content: ShowContent) => Promise<string>;
  /** Writes a result as one HTML file; absent on hosts that have a single bundle. */
  readonly capsule?: {
    readonly write: (content: CapsuleContent) => Promise<CapsuleResult>;
    /** Returns the home directory and the user name, which the file must not contain. */
    readonly secrets: () => readonly string[];
  };
  /**
   * Serves the explorer's page; absent on hosts that no browser can reach. Requires a trusted
   * workspace.
   */
  readonly serveBrowserPage?: (options: BrowserPageOptions) => Promise<BrowserConnection>;
  /**
   * Backend that interprets a kernel at a small problem shape and yields to the host while it runs.
   */
  readonly simulate: Backend;
}

export interface McpProgram {
  readonly command: string;
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  /** Arguments with the paths of tools and the index of the GPU, from the settings. */
  readonly tools: readonly string[];
}

export interface DawnAbility {
  readonly about: {
    /** Name of the npm package that contains Dawn. */
    readonly name: string;
    readonly version: string;
    readonly downloadMegabytes: number;
    readonly diskMegabytes: number;
    readonly folder: string;
  };
  readonly locate: () => Promise<LocatedDawn>;
  readonly probe: () => Promise<Availability>;
  /** Installs Dawn. Call it only after the user has agreed. */
  readonly install: (signal: AbortSignal) => Promise<Installed>;
  readonly remove: () => Promise<Installed>;
}

export interface WantedClusterTune {
  readonly spec: GemmSpec;
  /** Folder on a disk that all nodes share. */
  readonly root: vscode.Uri;
  readonly options: SlurmOptions;
  /** Version of the product. */
  readonly version: string;
  readonly objective: Objective;
}

export interface ClusterProgress extends JobProgress {
  /** Folder name of the job. */
  readonly id: string;
}

export interface ClusterContext {
  /** Ends the wait for the result; the job continues. */
  readonly signal: AbortSignal;
  readonly progress: (progress: ClusterProgress) => void;
}

export type ClusterEnd =
  | {
      readonly ok: true;
      readonly summary: TuneSummary;
      /** Measurements of the finalists. */
      readonly measurements: readonly Measurement[];
    }
  | { readonly ok: false; readonly detached: false; readonly message: string }
  | {
      readonly ok: false;
      readonly detached: true;
      /** Cancels the job. Returns a message if it may still run. */
      readonly cancel: () => Promise<string | undefined>;
    };

export interface WantedTune {
  readonly spec: ResolvedSpec;
  readonly backend: TunableBackend;
  /**
   * Folder whose `.gemm/tune` stores the measurements. Without a folder, the measurements are
   * stored in the user's cache.
   */
  readonly root: vscode.Uri | undefined;
  /**
   * Dispatch tables that contain the default schedule for a WebGPU adapter. That schedule is
   * measured first.
   */
  readonly adapterTables: readonly DispatchTable[];
  readonly objective: Objective;
}

export interface WantedAudit extends Pick<AuditRequest, 'shapes' | 'tables'> {
  /** File of the list, which determines the journal in the user's cache. */
  readonly file: vscode.Uri;
}

export interface BrowserPageOptions {
  readonly extension: vscode.Uri;
  /** Receives messages of the page before they are decoded. */
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

/** Result of the search for nvcc. `why` names the missing tool, and `next` contains the remedy. */
export type FoundCompiler =
  | { readonly ok: true; readonly compiler: CudaCompiler }
  | { readonly ok: false; readonly why: string; readonly next: string };

export interface CudaCompiler {
  /** Compiler build, such as `13.0.88`. */
  readonly build: string;
  /** Compiles one kernel file to a cubin, and returns the resource usage of each kernel. */
  readonly compile: (source: string, options: CompileRequest) => Promise<Compiled>;
  /** Compiles one kernel file to readable PTX. */
  readonly ptx: (source: string, options: CompileRequest) => Promise<Ptx>;
  /** Compiles one kernel file to readable SASS; requires nvdisasm or cuobjdump. */
  readonly sass: (source: string, options: CompileRequest) => Promise<Ptx>;
  /** Reads the memory accesses of an edited or hand-written kernel from its PTX. */
  readonly accesses: (runnable: Runnable, options: CompileRequest) => Promise<ReadAccesses>;
  /**
   * Returns facts about the kernels in a listing. Only hosts with a compiler have listings, so this
   * function belongs to the compiler.
   */
  readonly inspect: (listing: InspectedText) => Promise<Inspection>;
  /** Returns the listing with normalized register numbers and labels, for a diff. */
  readonly normalised: (text: string, language: 'ptx' | 'sass') => string;
  /** Returns the line of a listing at which its main loop starts (zero-based), if it has one. */
  readonly mainLoopLine: (text: string, language: 'ptx' | 'sass') => number | undefined;
}

export type ProfileRequest = Pick<ProfileOptions, 'signal' | 'compileTimeoutMs' | 'onProgress'>;

export interface WgslOptions {
  /**
   * Limits above the WebGPU defaults that the spec of the kernel requires; undefined if the
   * defaults suffice.
   */
  readonly limits:
    { readonly invocations: number; readonly workgroupStorageBytes: number } | undefined;
  readonly signal: AbortSignal;
}

export interface WgslRequest extends WgslOptions {
  /** If false, WGSL is checked only in an open page, without starting a process. */
  readonly mayStart: boolean;
}

/** Diagnostics with one-based lines and columns, or the reason why there is no compiler. */
export type CheckedWgsl =
  | { readonly ok: true; readonly messages: readonly WgslMessage[] }
  | { readonly ok: false; readonly why: string };

export interface CompileRequest {
  /** Target architecture, such as `sm_90`. */
  readonly arch: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** File access in a workspace folder. Writing requires a trusted workspace. */
export interface WorkspaceFiles {
  readonly writeGenerated: (file: GeneratedFile) => Promise<WriteResult>;
  /** Appends lines to a run history file in `.gemm/runs` with a single write. */
  readonly appendLines: (
    root: vscode.Uri,
    name: string,
    lines: readonly string[],
  ) => Promise<AppendResult>;
  /**
   * Returns the run history files of a workspace folder; an empty list if the folder has no
   * history.
   */
  readonly listRuns: (root: vscode.Uri) => Promise<ListedFolder>;
  /** Makes a schedule the default for its problem shape, in `.gemm/dispatch.jsonl` below `root`. */
  readonly adoptRow: (root: vscode.Uri, row: DispatchRow) => Promise<AppendResult>;
  /**
   * Returns machine, commit and author of a run in a workspace folder; absent on hosts that cannot
   * start git. Requires a trusted workspace.
   */
  readonly runOrigin?: (root: vscode.Uri) => Promise<RunOrigin>;
}

export interface GeneratedFile {
  readonly root: vscode.Uri;
  /** Subfolder of the root; the default is the root. */
  readonly folder?: string;
  readonly name: string;
  readonly text: string;
  /** True if the user agreed to replace an edited file, or a file that was not generated. */
  readonly replace?: boolean;
}

export type WriteResult =
  | { readonly written: vscode.Uri }
  /** The existing file was edited or was not generated; it was left unchanged. */
  | { readonly kept: 'edited' | 'foreign' }
  /** Nothing was written; `failed` contains the reason and the remedy. */
  | { readonly failed: string };

export type AppendResult = { readonly written: vscode.Uri } | { readonly failed: string };
