const HOLE = /\{\{(\w+)\}\}/g;

export const fill = (template, values) => template.replace(HOLE, (_, name) => values[name] ?? '');
