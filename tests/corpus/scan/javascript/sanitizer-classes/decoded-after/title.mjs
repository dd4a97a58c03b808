import he from 'he';

export const toTitle = (text) => he.decode(text).toUpperCase();
