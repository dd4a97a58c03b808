// Validates WGSL modules with Tint, the WGSL compiler of Dawn and Chromium. Dawn's null backend needs no GPU.
//
//     node check.mjs MODULES [FOLDER]
//
// MODULES is the folder in which `npm ci` has installed the packages of package-lock.json. FOLDER holds the `.wgsl` files,
// at any depth; without it only the controls are checked. A module must be valid, and its entry point `main` must be valid
// as a compute pipeline, except where it needs more than the default limits of WebGPU.
//
// Exit codes: 0 if Tint accepts all modules, 1 if it refuses some, 2 if the check itself fails.

import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Modules that Tint must refuse, with a part of the message. An installation that accepts one of them checks nothing. */
const MUST_REFUSE = [
  ['a syntax error', '@compute @workgroup_size(1) fn main( {}', 'expected'],
  ['a division by zero', '@compute @workgroup_size(1) fn main() { let x = 1u / 0u; }', 'division by zero'],
  [
    'a barrier in divergent control flow',
    `@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) index: u32) {
       if (index < 32u) { workgroupBarrier(); }
     }`,
    'uniform control flow',
  ],
  [
    'a barrier that depends on workgroup memory',
    `var<workgroup> word: u32;
     @compute @workgroup_size(64) fn main() { if (word == 0u) { workgroupBarrier(); } }`,
    'uniform control flow',
  ],
];

/** A module that Tint must accept: the last one with a uniform load. */
const MUST_ACCEPT = `var<workgroup> word: u32;
  @compute @workgroup_size(64) fn main() { if (workgroupUniformLoad(&word) == 0u) { workgroupBarrier(); } }`;

function fail(message) {
  console.error(`the check with Tint failed: ${message}`);
  process.exit(2);
}
// An exception that nothing catches ends node with 1, which would mean that Tint refuses a module.
process.on('uncaughtException', (error) => fail(error.message));
process.on('unhandledRejection', (error) => fail(String(error)));

/** Text that Dawn uses in errors of pipelines beyond its limits. */
const LIMIT = /exceeds the max|is larger than the maximum/;

/** Errors of a module, none for a valid one, and the limit that it exceeds, if any. */
async function check(device, code) {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code });
  const info = await module.getCompilationInfo();
  const refusal = await device.popErrorScope();
  const errors = info.messages
    .filter((message) => message.type === 'error')
    .map((message) => `line ${message.lineNum}: ${message.message}`);
  if (refusal) {
    return { errors: errors.length > 0 ? errors : [refusal.message] };
  }
  device.pushErrorScope('validation');
  device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'main' } });
  const rejection = await device.popErrorScope();
  if (!rejection) {
    return { errors };
  }
  return LIMIT.test(rejection.message) ? { errors, limit: rejection.message } : { errors: [rejection.message] };
}

function wgslFiles(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return wgslFiles(path);
    return entry.name.endsWith('.wgsl') ? [path] : [];
  });
}

const [modules, folder] = process.argv.slice(2);
if (!modules) {
  fail('usage: node check.mjs MODULES [FOLDER]');
}
const at = resolve(modules, 'node_modules/webgpu');
const { create, globals } = await import(pathToFileURL(join(at, 'index.js'))).catch((error) => fail(error.message));
const { version } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
Object.assign(globalThis, globals);
// Must stay reachable: Dawn ends when it is collected, with all devices.
const gpu = create(['backend=null']);
const adapter = await gpu.requestAdapter();
if (!adapter) {
  fail('Dawn has no null backend');
}
const device = await adapter.requestDevice();

for (const [what, code, message] of MUST_REFUSE) {
  const { errors } = await check(device, code);
  if (!errors.some((error) => error.includes(message))) {
    fail(`Tint must refuse ${what}, and says: ${errors.join('; ') || 'nothing'}`);
  }
}
const accepted = await check(device, MUST_ACCEPT);
if (accepted.errors.length > 0 || accepted.limit) {
  fail(`Tint must accept a uniform load, and says: ${accepted.limit ?? accepted.errors.join('; ')}`);
}

const files = folder ? wgslFiles(folder) : [];
if (folder && files.length === 0) {
  fail(`${folder} has no .wgsl files`);
}
let refused = 0;
let beyond = 0;
for (const file of files) {
  const { errors, limit } = await check(device, readFileSync(file, 'utf8'));
  beyond += limit ? 1 : 0;
  if (errors.length > 0) {
    refused += 1;
    console.log(`${relative(folder, file)}: ${errors.slice(0, 3).join('\n    ')}`);
  }
}
console.log(
  `Tint of Dawn (webgpu ${version}): ${files.length - refused} of ${files.length} modules accepted, ` +
    `${beyond} of them beyond the default limits of WebGPU; ${MUST_REFUSE.length} controls refused`,
);
// Keeps the object reachable to this point.
globalThis.gpu = gpu;
process.exit(refused > 0 ? 1 : 0);
