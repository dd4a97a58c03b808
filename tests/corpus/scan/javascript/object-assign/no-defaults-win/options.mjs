const DEFAULTS = { tool: 'make', label: 'none' };

export const resolveOptions = (options) => Object.assign({}, DEFAULTS, { label: options.label });
