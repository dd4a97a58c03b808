export interface Options { tool: string; label: string }

export const withTool = (options: Options): Options => ({ ...options, tool: 'git' });
