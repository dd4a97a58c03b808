import { build } from './build';

build({ target: process.env.TARGET }); // source: env
