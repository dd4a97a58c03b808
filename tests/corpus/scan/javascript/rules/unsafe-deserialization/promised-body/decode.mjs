import serialize from 'node-serialize';

export const decode = (text) => serialize.unserialize(text); // sink: unsafe-deserialization chunk
