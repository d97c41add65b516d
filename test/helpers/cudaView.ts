/** View of the explorer page that shows the CUDA kernel. */
import { INITIAL_VIEW, type ViewChoices } from '../../webview/state';

export const CUDA_VIEW: ViewChoices = { ...INITIAL_VIEW, target: 'cuda', backend: 'cuda' };
