/**
 * Upper limits of the package's parts, minified, in bytes; kB are 1,000 bytes. They are 10 % above
 * the sizes of 2026-11, to detect accidentally bundled libraries, not every new text.
 */
export const BUDGET_BYTES: Readonly<Record<string, number>> = {
  /** The host bundle, which delays VS Code's start. */
  'dist/extension.cjs': 235_000,
  /** Loaded with the first opened kernel, spec or run. */
  'dist/core.cjs': 870_000,
  /** Loaded when a process is first started. */
  'dist/programs.cjs': 415_000,
  /** Separate process for Dawn. */
  'dist/dawnWorker.js': 430_000,
  /** Everything in one file, as a browser's extension host requires. */
  'dist/extension.web.cjs': 805_000,
  /** The page's first frame waits for these two. */
  'dist/webview.js': 81_000,
  'dist/webviewShared.js': 622_000,
  /** Loaded after the first frame (webview/later.ts). */
  'dist/webviewLater.js': 290_000,
  /** Loaded when Simulate is first used. */
  'dist/simulateWorker.js': 430_000,
  'dist/browserPage.js': 22_000,
  vsix: 1_560_000,
};
