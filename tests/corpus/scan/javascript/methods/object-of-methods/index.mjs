import { tool } from './tool.mjs';

tool.configure({ folder: process.argv[2] }); // source: argv
tool.build();
