const DENIED = new Set(['rm', 'dd']);

export const isDenied = (tool: string): boolean => DENIED.has(tool);
