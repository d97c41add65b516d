/** Names shared by package.json and the source code. A test compares them. */

export const COMMANDS = {
  generate: 'gemm.generate',
  openExplorer: 'gemm.openExplorer',
  runAndVerify: 'gemm.runAndVerify',
  benchmark: 'gemm.benchmark',
  showRoofline: 'gemm.showRoofline',
  checkToolChain: 'gemm.checkToolChain',
  removeDawn: 'gemm.removeDawn',
  exportReport: 'gemm.exportReport',
  exportProject: 'gemm.exportProject',
  shareResult: 'gemm.shareResult',
  copyLink: 'gemm.copyLink',
  showPtx: 'gemm.showPtx',
  showSass: 'gemm.showSass',
  comparePtx: 'gemm.comparePtx',
  compareSass: 'gemm.compareSass',
  importNcu: 'gemm.importNcu',
  profile: 'gemm.profile',
  describeKernel: 'gemm.describeKernel',
  compareRuns: 'gemm.compareRuns',
  runLadder: 'gemm.runLadder',
  reproduceTutorial: 'gemm.reproduceTutorial',
  tune: 'gemm.tune',
  tuneOnCluster: 'gemm.tuneOnCluster',
  audit: 'gemm.audit',
  measureCeilings: 'gemm.measureCeilings',
  printLayout: 'gemm.printLayout',
  openRun: 'gemm.runs.open',
  rerun: 'gemm.runs.rerun',
  deleteRuns: 'gemm.runs.delete',
  deleteFailedRuns: 'gemm.runs.deleteFailed',
  copyRuns: 'gemm.runs.copy',
  shareRun: 'gemm.runs.share',
  refreshRuns: 'gemm.runs.refresh',
  filterRuns: 'gemm.runs.filter',
  clearRunsFilter: 'gemm.runs.clearFilter',
  groupRunsByProblem: 'gemm.runs.groupByProblem',
  groupRunsByMachine: 'gemm.runs.groupByMachine',
  groupRunsByAuthor: 'gemm.runs.groupByAuthor',
  groupRunsByCommit: 'gemm.runs.groupByCommit',
  learn: 'gemm.learn',
  checkTask: 'gemm.checkTask',
  openWalkthrough: 'gemm.openWalkthrough',
  showActions: 'gemm.showActions',
} as const;
export type CommandId = (typeof COMMANDS)[keyof typeof COMMANDS];

/** Command for quick fixes with a spec argument; hidden from the command palette. */
export const REGENERATE = '_gemm.regenerate';

export const SETTING_DEFAULTS = {
  'nvcc.path': '',
  device: 'h200',
  outputFolder: 'gemm',
  'codeLens.enabled': true,
  compileOnSave: true,
  compileTimeoutSeconds: 120,
  runTimeoutSeconds: 60,
  'cuda.device': 0,
  'cuda.compiler': 'nvcc',
  'python.path': '',
  'tune.objective': 'time',
  'slurm.tasks': 8,
  'slurm.partition': '',
  'slurm.account': '',
  'slurm.timeLimit': '',
  'slurm.gres': 'gpu:1',
  'runs.recordNames': false,
} as const;
export type SettingName = keyof typeof SETTING_DEFAULTS;

/**
 * URI scheme of PTX listings, SASS listings and Nsight Compute tables, which exist only in memory.
 */
export const PTX_SCHEME = 'gemm-ptx';

/** URI scheme of run comparisons, ladders and layouts, which exist only in memory. */
export const COMPARISON_SCHEME = 'gemm-comparison';

/** Provider of MCP servers. */
export const MCP_SERVERS = 'gemm.mcp';

export const RUNS_VIEW = 'gemm.runs';
export const WALKTHROUGH = 'firstKernel';
export const TASK_TYPE = 'gemm';
export const TESTS = 'gemm.kernels';

export const EXPLORER_VIEW = 'gemm.explorer';

/** URI scheme of chapters that are shown but not written to a file. */
export const COURSE_SCHEME = 'gemm-course';

export const REPORT_FOLDER = 'gemm-report';
export const AUDIT_FOLDER = 'gemm-audit';

export const SPEC_ENDING = '.gemm.json';
export const KERNEL_GLOB = '**/*.{cu,cuh,wgsl}';
/** Files with kernels of other projects, which are run but not analyzed in the editor. */
export const FOREIGN_GLOB = '**/*.{ptx,py}';
