/**
 * Size limits of the minified package files, in bytes (1 kB is 1,000 bytes). They detect
 * accidentally bundled libraries.
 */
export const BUDGET_BYTES: Readonly<Record<string, number>> = {
  /** Bundle that is loaded when the extension is activated. */
  'dist/extension.cjs': 235_000,
  /** Bundle that is loaded on the first use of the core. */
  'dist/core.cjs': 890_000,
  /** Bundle that is loaded when a process is first started. */
  'dist/programs.cjs': 415_000,
  'dist/dawnWorker.js': 430_000,
  /** Single-file bundle, as the extension host of a browser requires. */
  'dist/extension.web.cjs': 805_000,
  /** Bundles that the first frame of the page waits for. */
  'dist/webview.js': 81_000,
  'dist/webviewShared.js': 622_000,
  /** Bundle that is loaded after the first frame (webview/later.ts). */
  'dist/webviewLater.js': 300_000,
  /** Bundle that is loaded when Simulate is first used. */
  'dist/simulateWorker.js': 430_000,
  'dist/browserPage.js': 22_000,
  vsix: 1_560_000,
};
