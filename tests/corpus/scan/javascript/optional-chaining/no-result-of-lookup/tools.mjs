const TOOLS = [{ name: 'list', line: 'ls' }, { name: 'where', line: 'pwd' }];

export const toolOf = (name) => TOOLS.find((tool) => tool?.name === name);
