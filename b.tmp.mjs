import { build } from 'esbuild';
const [,, src, out] = process.argv;
await build({ entryPoints: [src], bundle: true, platform: 'node', outfile: out, logLevel: 'error', format: 'cjs', mainFields: ['module','main'], loader: { '.cuh': 'text', '.cu': 'text', '.wgsl': 'text', '.cpp': 'text', '.h':'text', '.py':'text', '.sh':'text', '.html':'text','.css':'text','.md':'text' }, external: ['vscode','webgpu'] });
