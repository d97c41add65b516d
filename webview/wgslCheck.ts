/** WGSL compilation on the GPU of this page, which reports errors for the editor. */
import type { FromWebview, ToWebview } from '../src/protocol';
import { checkText, openCompiler } from '../src/webgpu/checkText';

type Check = Extract<ToWebview, { type: 'checkWgsl' }>;

const MAX_MESSAGES = 100;
const MAX_MESSAGE_CHARACTERS = 2000;

/**
 * Creates a checker that uses one device for all sources, and requests a new device after a device
 * loss or an error.
 */
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
    return found.slice(0, MAX_MESSAGES).map(({ line, column, message }) => ({
      line,
      column,
      message: message.slice(0, MAX_MESSAGE_CHARACTERS),
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
