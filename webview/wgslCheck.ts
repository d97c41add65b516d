/** WGSL that is typed in the editor, compiled by this page's GPU. */
import type { FromWebview, ToWebview } from '../src/protocol';
import { checkText, openCompiler } from '../src/webgpu/checkText';

type Check = Extract<ToWebview, { type: 'checkWgsl' }>;

/** As many as anybody reads of one text. */
const MOST_MESSAGES = 100;
const MOST_CHARACTERS = 2000;

/** One device for all texts; the next text gets a new one where it was lost. */
export function createWgslCheck(
  post: (message: FromWebview) => void,
  gpu: GPU | undefined,
): (check: Check) => void {
  let compiler: Promise<GPUDevice | null> | undefined;
  const open = (from: GPU): Promise<GPUDevice | null> => {
    compiler ??= openCompiler(from).then(device => {
      void device?.lost.then(() => (compiler = undefined));
      return device;
    });
    return compiler;
  };
  const messagesOf = async ({ source, limits }: Check) => {
    const device = gpu === undefined ? null : await open(gpu);
    if (device === null) return null;
    const found = await checkText(device, { source, limits });
    return found.slice(0, MOST_MESSAGES).map(({ line, column, message }) => ({
      line,
      column,
      message: message.slice(0, MOST_CHARACTERS),
    }));
  };
  return check => {
    const { id } = check;
    messagesOf(check).then(
      messages => {
        post({ type: 'wgslChecked', id, messages });
      },
      () => {
        compiler = undefined;
        post({ type: 'wgslChecked', id, messages: null });
      },
    );
  };
}
