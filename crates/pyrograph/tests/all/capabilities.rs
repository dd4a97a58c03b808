//! Capabilities of short programs: the ways in which code gets a module, and what the scan says.

use std::fs;
use std::sync::{Arc, LazyLock};

use pyrograph::scan::{ScanControl, ScanOptions, scan};
use vyre_jit::{JitDevice, JitOptions};

static DEVICE: LazyLock<Arc<JitDevice>> =
    LazyLock::new(|| Arc::new(JitDevice::new(&JitOptions::default()).expect("a CPU")));

/// Kinds and names of the capabilities of a file.
fn capabilities(name: &str, code: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(name), code).expect("a file");
    let mut options = ScanOptions::default();
    options.capabilities = true;
    let paths = [folder.path().to_owned()];
    let report = scan(&paths, &options, DEVICE.clone(), &ScanControl::default()).expect("a report");
    assert!(!report.coverage.is_incomplete(), "{code}");
    report.capabilities.iter().map(|each| format!("{} {}", each.kind.name(), each.name)).collect()
}

fn check(name: &str, cases: &[(&str, &[&str])]) {
    for (code, expected) in cases {
        assert_eq!(capabilities(name, code), *expected, "{code}");
    }
}

#[test]
fn modules_are_found_through_every_loader() {
    let exec: &[&str] = &["process child_process.exec"];
    check(
        "a.js",
        &[
            ("const r = require; r('child_process').exec('x');", exec),
            ("module.require('child_process').exec('x');", exec),
            ("require.call(null, 'child_process').exec('x');", exec),
            ("require.apply(null, ['child_process']).exec('x');", exec),
            ("Reflect.apply(require, null, ['child_process']).exec('x');", exec),
            ("(0, require)('child_process').exec('x');", exec),
            ("require.main.require('child_process').exec('x');", exec),
            ("globalThis.require('child_process').exec('x');", exec),
            ("require.bind(null)('child_process').exec('x');", exec),
            ("require('child_process', 0).exec('x');", exec),
            ("import('child_' + 'process').then((cp) => cp.exec('x'));", exec),
            ("var t = ['child_process', 'exec']; require(t[0])[t[1]]('x');", exec),
            (
                "process.mainModule.require('child_process').exec('x');",
                &["process child_process.exec", "module-load mainModule"],
            ),
            (
                "module.constructor._load('child_process').exec('x');",
                &["process child_process.exec", "dynamic-code module._load"],
            ),
            (
                "const { createRequire } = require('module'); createRequire(__filename)('child_process').exec('x');",
                &["process child_process.exec", "module-load createRequire"],
            ),
            (
                "process.getBuiltinModule('child_process').exec('x');",
                &["process child_process.exec", "module-load getBuiltinModule"],
            ),
            (
                "const o = { r: require }; o.r('child_process').exec('x');",
                &["process child_process.exec", "module-load require as a value"],
            ),
        ],
    );
    check(
        "a.mjs",
        &[
            (
                "import { createRequire } from 'module'; createRequire(import.meta.url)('child_process').exec('x');",
                &["process child_process.exec", "module-load createRequire"],
            ),
            ("import * as cp from 'child_process'; cp[globalThis.x]('y');", &["process child_process.*"]),
            ("export * from 'child_process';", &["process child_process.*"]),
            ("const { exec } = await import(`child${'_'}process`); exec('x');", exec),
            ("import 'https://example.com/x.js';", &["dynamic-code import https://example.com/x.js"]),
        ],
    );
}

#[test]
fn computed_modules_and_members_are_capabilities() {
    check(
        "a.js",
        &[
            ("require(name);", &["module-load require of a computed name"]),
            ("import(name);", &["module-load import of a computed name"]),
            ("require('./commands/' + name);", &["module-load require of a computed name in ./commands"]),
            ("require(...['child_process']).exec('x');", &["module-load require of a computed name"]),
            ("const cp = require('child_process'); cp[m]('x');", &["process child_process.*"]),
            ("exports.cp = require('child_process');", &["process child_process.*"]),
            ("with (require('child_process')) { spawn('x'); }", &["process child_process.*"]),
            ("globalThis[atob('ZXZhbA==')]('1');", &["dynamic-code a computed global variable"]),
            ("(function () { return this; })()['ev' + 'al']('1');", &["dynamic-code eval"]),
            ("this.constructor.constructor('return process')();", &["dynamic-code Function"]),
            ("[].at.constructor('return process')();", &["dynamic-code Function"]),
            ("with (process) { mainModule; }", &["dynamic-code process.*", "module-load mainModule"]),
            ("Object.values(globalThis)[3]('1');", &["dynamic-code a computed global variable"]),
            (
                "[][(![]+[])[+[]]+(![]+[])[!+[]+!+[]]+(![]+[])[+!+[]]][([][x]+[])[3]+y]('1')();",
                &["dynamic-code a computed member of a computed member"],
            ),
        ],
    );
}

#[test]
fn platforms_have_capabilities() {
    check(
        "a.js",
        &[
            ("process.binding('spawn_sync');", &["native-code process.binding"]),
            ("process.dlopen(module, './a');", &["native-code process.dlopen"]),
            ("require('./a.node');", &["native-code ./a.node"]),
            ("WebAssembly.instantiate(b);", &["dynamic-code WebAssembly.instantiate"]),
            ("require('vm').runInThisContext('1');", &["dynamic-code vm.runInThisContext"]),
            ("new (require('worker_threads').Worker)('x');", &["dynamic-code worker_threads.Worker"]),
            ("setTimeout('f()', 1);", &["dynamic-code setTimeout with a text"]),
            ("import('data:text/javascript,1');", &["dynamic-code import data:"]),
            ("require('cluster').fork();", &["process cluster.fork"]),
            ("new XMLHttpRequest();", &["network XMLHttpRequest"]),
            ("new WebSocket('ws://a');", &["network WebSocket"]),
            ("navigator['send' + 'Beacon']('/a');", &["network navigator.sendBeacon"]),
            ("require('http2').connect('a');", &["network http2.connect"]),
            ("require('dgram').createSocket('udp4');", &["network dgram.createSocket"]),
            ("require('fs/promises').rm('x');", &["file-write fs.promises.rm"]),
            ("require('os').userInfo();", &["environment os.userInfo"]),
            ("const { env } = process; f(env);", &["environment all variables"]),
        ],
    );
}

#[test]
fn methods_of_promises_are_none() {
    check(
        "a.js",
        &[
            ("p.then((x) => x).catch((y) => y).finally(z);", &[]),
            ("import('./x.js').then((m) => m.run());", &[]),
            ("exports.a = (p) => p.then((x) => x.exec('y'));", &[]),
            ("import('https').then(f);", &["network https"]),
            ("setTimeout(() => 1, 1); typeof require === 'function';", &[]),
        ],
    );
}

#[test]
fn python_has_the_same() {
    check(
        "a.py",
        &[
            ("__import__('o' + 's').system('x')", &["process os.system"]),
            ("import shutil\nshutil.os.system('x')", &["module-load shutil.os"]),
            ("from logging import os as z\nz.system('x')", &["module-load logging.os"]),
            ("f(__builtins__)", &["dynamic-code a computed global variable"]),
            ("__import__(name).system('x')", &["module-load __import__ of a computed name"]),
            ("import importlib\nimportlib.import_module('sub' + 'process').run('x')", &["process subprocess.run"]),
            (
                "from importlib import import_module as i\ni(name)",
                &["module-load importlib.import_module of a computed name"],
            ),
            ("import os\ngetattr(os, 'sys' + 'tem')('x')", &["process os.system"]),
            ("import os\ngetattr(os, name)('x')", &["process os.*"]),
            ("import os\nos.__dict__['system']('x')", &["process os.system"]),
            ("import os\nos.path.join('a')", &[]),
            ("from os import *\nsystem('x')", &["process os.*", "process os.system"]),
            ("import sys\nsys.modules['os'].system('x')", &["process os.system"]),
            ("import sys\nsys.modules[name].system('x')", &["module-load sys.modules.*"]),
            ("import ctypes\nctypes.CDLL('libc.so.6')", &["native-code ctypes.CDLL"]),
            ("import builtins\ngetattr(builtins, 'ex' + 'ec')('x')", &["dynamic-code exec"]),
            ("__builtins__['ev' + 'al']('x')", &["dynamic-code eval"]),
            ("().__class__.__base__.__subclasses__()", &["dynamic-code __subclasses__"]),
            ("import pickle\npickle.loads(b)", &["dynamic-code pickle.loads"]),
            ("import marshal\nexec(marshal.loads(b))", &["dynamic-code exec", "dynamic-code marshal.loads"]),
            ("import posix\nposix.system('x')", &["process posix.system"]),
            ("from urllib.request import urlopen\nurlopen('a')", &["network urllib.request.urlopen"]),
            ("import http.client\nhttp.client.HTTPSConnection('a')", &["network http.client.HTTPSConnection"]),
            ("import os\nprint(os.environ)", &["environment all variables"]),
            ("import functools, os\nfunctools.partial(os.system, 'x')()", &["process os.system"]),
        ],
    );
}
