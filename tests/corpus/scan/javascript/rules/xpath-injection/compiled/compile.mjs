import xpath from 'xpath';

export const compile = (name, id) => xpath.parse(`//${name}[@id=${id}]`); // sink: xpath-injection id
