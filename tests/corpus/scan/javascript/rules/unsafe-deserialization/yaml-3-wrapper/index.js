#!/usr/bin/env node
const { load } = require('./lib/formats');

const [, , kind, text] = process.argv; // source: argv
console.log(load(kind, text));
