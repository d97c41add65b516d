/** esbuild plugin that imports a style sheet, with the style sheets that it imports, as text. */
import { build } from 'esbuild';
import path from 'node:path';

export const styleText = {
  name: 'styleText',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\.?\/.*\.css$/ }, ({ path: imported, resolveDir }) => ({
      path: path.join(resolveDir, imported),
      namespace: 'styleText',
    }));
    onLoad({ filter: /./, namespace: 'styleText' }, async ({ path: file }) => {
      const { outputFiles, metafile } = await build({
        entryPoints: [file],
        bundle: true,
        minify: true,
        write: false,
        metafile: true,
        target: 'chrome122',
      });
      const watchFiles = Object.keys(metafile.inputs).map(name => path.resolve(name));
      return { contents: outputFiles[0].text.trim(), loader: 'text', watchFiles };
    });
  },
};
