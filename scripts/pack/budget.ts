/**
 * Size limits of the minified package files, in bytes (1 kB is 1,000 bytes). They detect
 * accidentally bundled libraries.
 */
export const BUDGET_BYTES: Readonly<Record<string, number>> = {
  /** Bundle that is loaded when the extension is activated. */
  'dist/extension.cjs': 245_000,
  /**
   * The core, which the other bundles share and load on first use. Boosted trees of the time models
   * have 200 kB.
   */
  'dist/core.cjs': 1_440_000,
  /** Chapters and tasks of the course, which are loaded at the first use of the course. */
  'dist/course.cjs': 130_000,
  /** Texts of exported projects, which are loaded at the first export. */
  'dist/export.cjs': 114_000,
  /** Readers, ranking and page of an audit, which are loaded at the first audit. */
  'dist/audit.cjs': 48_000,
  /**
   * The MCP server, which VS Code starts as a process of its own. The SDK and Zod have 140 kB, the
   * tools 40 kB, and the code that starts processes 110 kB.
   */
  'dist/mcp.cjs': 380_000,
  /** Sources that the host compiles, which mcp.cjs and programs.cjs share. */
  'dist/texts.cjs': 306_000,
  /** Bundle that renders the first frame of the page in the extension host. */
  'dist/firstFrame.cjs': 95_000,
  /** Bundle that is loaded when a process is first started. */
  'dist/programs.cjs': 195_000,
  /** Views of the page that a capsule renders, which are loaded at the first shared result. */
  'dist/capsule.cjs': 215_000,
  'dist/dawnWorker.js': 65_000,
  /** Program of a Slurm task without the core. The sources of the CUDA runner have 215 kB. */
  'dist/slurmTask.cjs': 315_000,
  /** Single-file bundle, as the extension host of a browser requires. */
  'dist/extension.web.cjs': 1_600_000,
  /** Script of the first frame of the page. */
  'dist/webview.js': 130_000,
  /** The page, which is loaded after the first frame. */
  'dist/webviewPage.js': 75_000,
  'dist/webviewShared.js': 68_000,
  /** Deferred views of the page (webview/later.ts). */
  'dist/webviewLater.js': 196_000,
  /** Script of the page's workers, which run it after the core. */
  'dist/simulateWorker.js': 3_000,
  'dist/browserPage.js': 22_000,
  vsix: 1_980_000,
};
