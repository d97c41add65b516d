/** `mcp`, whose server is loaded on its first use. */
import { mcpCommand } from '../mcp/command';

export const mcp = mcpCommand(async () => (await import('../mcp/bundle')).serve);
