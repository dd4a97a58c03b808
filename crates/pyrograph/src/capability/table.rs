//! API paths that give a capability, beside the sinks of rules.

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::FixedState;

use super::kind::CapabilityKind as Kind;
use crate::knowledge::{ApiModel, Knowledge, RuleMask, expand};

/// Entries of a language: kind, API paths with alternatives in braces. A path that ends with `.*` stands for every member of a module.
type Entries = &'static [(Kind, &'static [&'static str])];

const JAVASCRIPT: Entries = &[
    (
        Kind::Network,
        &[
            "{net,tls,http,https,http2,dgram,dns,dns/promises,quic}.*",
            "{_http_client,_http_server,_http_agent,_tls_wrap}.*",
            "global.{fetch,XMLHttpRequest,WebSocket,WebSocketStream,WebTransport,EventSource,RTCPeerConnection,Image}",
            "global.navigator.sendBeacon",
            "global.Deno.{connect,connectTls,listen,listenTls,listenDatagram,serve,serveHttp,resolveDns,startTls}",
            "global.Bun.{serve,connect,listen,udpSocket}",
            "{nodemailer,ssh2,ftp,basic-ftp,socks,node-ssh,undici,ws,socket.io-client}.*",
        ],
    ),
    (
        Kind::Process,
        &[
            "{child_process,cluster}.*",
            "global.process.{kill,execve,_kill,_debugProcess}",
            "global.Deno.{run,Command,kill}",
            "global.Bun.{spawn,spawnSync,$}",
        ],
    ),
    (
        Kind::DynamicCode,
        &[
            "global.{eval,Function,AsyncFunction,GeneratorFunction,execScript,importScripts,Worker,SharedWorker}",
            "global.WebAssembly.{compile,compileStreaming,instantiate,instantiateStreaming,Module}",
            "global.navigator.serviceWorker.register",
            "{vm,worker_threads,repl,inspector,inspector/promises,wasi}.*",
            "v8.{setFlagsFromString,startupSnapshot}",
            "module.{_load,_compile,_extensions,_resolveFilename,_preloadModules,_initPaths,prototype,register,registerHooks,runMain,wrap,wrapper}",
            "global.require.{extensions,cache}",
            "{vm2,isolated-vm}.*",
            "{safe-eval,static-eval,node-eval,require-from-string,notevil}",
        ],
    ),
    (
        Kind::NativeCode,
        &[
            "global.process.{dlopen,binding,_linkedBinding}",
            "{ffi,ffi-napi,koffi,node-ffi}.*",
            "{bindings,node-gyp-build,prebuild-install,node-pre-gyp,@mapbox/node-pre-gyp}",
            "global.Deno.dlopen",
        ],
    ),
    (
        Kind::FileRead,
        &[
            "global.Deno.{readFile,readFileSync,readTextFile,readTextFileSync,readDir,readDirSync}",
            "global.Bun.{file,mmap}",
            "fs{,.promises}.{openAsBlob,readv,readvSync,glob,globSync,readFile,readFileSync,read,readSync,readdir,readdirSync,createReadStream,open,openSync,opendir,opendirSync,readlink,readlinkSync,access,accessSync,exists,existsSync,stat,statSync,lstat,lstatSync,realpath,realpathSync,watch,watchFile}",
        ],
    ),
    (
        Kind::FileWrite,
        &[
            "sqlite.*",
            "global.Deno.{writeFile,writeFileSync,writeTextFile,writeTextFileSync,remove,removeSync,rename,renameSync,create,createSync,mkdir,mkdirSync,open,openSync}",
            "global.Bun.write",
            "fs{,.promises}.{writev,writevSync,lchown,lchmod,fchmod,fchown,ftruncate,ftruncateSync,writeFile,writeFileSync,write,writeSync,appendFile,appendFileSync,createWriteStream,mkdir,mkdirSync,mkdtemp,mkdtempSync,rm,rmSync,rmdir,rmdirSync,unlink,unlinkSync,rename,renameSync,copyFile,copyFileSync,cp,cpSync,link,linkSync,symlink,symlinkSync,chmod,chmodSync,chown,chownSync,truncate,truncateSync,utimes,utimesSync}",
        ],
    ),
    (
        Kind::Environment,
        &[
            "os.{hostname,userInfo,homedir,networkInterfaces,release,version,machine,cpus}",
            "global.Deno.{hostname,osRelease,networkInterfaces}",
            "global.process.report.getReport",
        ],
    ),
];

const PYTHON: Entries = &[
    (
        Kind::Network,
        &[
            "{socket,ssl,ftplib,smtplib,poplib,imaplib,telnetlib,xmlrpc.client,http.client,http.server,socketserver,urllib.request,urllib2,httplib}.*",
            "{requests,httpx,aiohttp,urllib3,websockets,websocket,paramiko,pycurl,httplib2,grpc}.*",
            "{_socket,_ssl,asyncore,asynchat,nntplib,smtpd,multiprocessing.connection,urllib.robotparser,botocore,boto3,dns.resolver}.*",
            "asyncio.{open_connection,start_server,open_unix_connection,start_unix_server}",
            "urllib.{urlopen,urlretrieve}",
        ],
    ),
    (
        Kind::Process,
        &[
            "{subprocess,_posixsubprocess,posix,nt,_winapi,multiprocessing,webbrowser,commands,popen2,asyncio.subprocess}.*",
            "concurrent.futures.ProcessPoolExecutor",
            "os.{dup2,popen2,popen3,popen4,killpg,setuid}",
            "{pty,pexpect,plumbum,sh}.*",
            "os.{system,popen,fork,forkpty,kill,posix_spawn,posix_spawnp,startfile,execl,execle,execlp,execlpe,execv,execve,execvp,execvpe,spawnl,spawnle,spawnlp,spawnlpe,spawnv,spawnve,spawnvp,spawnvpe}",
            "asyncio.{create_subprocess_exec,create_subprocess_shell}",
        ],
    ),
    (
        Kind::DynamicCode,
        &[
            "global.{eval,exec,execfile,compile}",
            "global.{globals,locals,__loader__,__builtins__}",
            "{runpy,code,codeop,imp,zipimport,_imp,pip,pip._internal,ensurepip}.*",
            "marshal.{load,loads}",
            "{pickle,_pickle,cPickle,dill,cloudpickle,jsonpickle,joblib}.{load,loads,Unpickler,decode}",
            "shelve.open",
            "types.{CodeType,FunctionType}",
            "importlib.reload",
            "importlib.util.{spec_from_file_location,spec_from_loader,module_from_spec}",
            "importlib.machinery.{SourceFileLoader,SourcelessFileLoader,ExtensionFileLoader,ModuleSpec}",
            "sys.{meta_path,path_hooks,settrace,setprofile,addaudithook,_getframe}",
            "timeit.{timeit,repeat,Timer}",
        ],
    ),
    (Kind::NativeCode, &["{ctypes,_ctypes,cffi}.*"]),
    (Kind::FileRead, &["os.{listdir,scandir,walk,readlink,stat,lstat}", "glob.{glob,iglob}", "linecache.getline"]),
    (
        Kind::FileWrite,
        &[
            "os.{open,openpty,write,pwrite,mkfifo,lchown,lchmod,utime,setxattr}",
            "io.FileIO",
            "{winreg,_winreg}.*",
            "os.{remove,unlink,rmdir,removedirs,rename,renames,replace,mkdir,makedirs,chmod,chown,link,symlink,truncate,mknod}",
            "shutil.{copy,copy2,copyfile,copytree,move,rmtree,unpack_archive,chown,copymode,copystat,make_archive}",
        ],
    ),
    (
        Kind::Environment,
        &[
            "platform.{node,uname,platform,version,machine}",
            "getpass.getuser",
            "os.{getlogin,uname}",
            "uuid.getnode",
            "pwd.*",
        ],
    ),
];

/// Modules of which the table lists single members, and the kind of a use of any member.
const WHOLE: &[(&str, Kind)] = &[
    ("fs", Kind::FileWrite),
    ("fs.promises", Kind::FileWrite),
    ("fs-extra", Kind::FileWrite),
    ("graceful-fs", Kind::FileWrite),
    ("module", Kind::DynamicCode),
    ("global", Kind::DynamicCode),
    ("global.process", Kind::DynamicCode),
    ("global.require", Kind::ModuleLoad),
    ("global.Deno", Kind::Process),
    ("global.Bun", Kind::Process),
    ("global.navigator", Kind::Network),
    ("global.WebAssembly", Kind::DynamicCode),
    ("os", Kind::Process),
    ("shutil", Kind::FileWrite),
    ("io", Kind::FileWrite),
    ("marshal", Kind::DynamicCode),
    ("pickle", Kind::DynamicCode),
    ("importlib", Kind::ModuleLoad),
    ("sys", Kind::DynamicCode),
    ("sys.modules", Kind::ModuleLoad),
];

/// Members by whose names a program gets more than it imports, whatever the object is. Programs rarely use them for anything else.
const MEMBERS: &[(&str, Kind)] = &[
    ("mainModule", Kind::ModuleLoad),
    ("getBuiltinModule", Kind::ModuleLoad),
    ("createRequire", Kind::ModuleLoad),
    ("__non_webpack_require__", Kind::ModuleLoad),
    ("_load", Kind::ModuleLoad),
    ("_compile", Kind::DynamicCode),
    ("runInThisContext", Kind::DynamicCode),
    ("runInNewContext", Kind::DynamicCode),
    ("runInContext", Kind::DynamicCode),
    ("_linkedBinding", Kind::NativeCode),
    ("dlopen", Kind::NativeCode),
    ("sendBeacon", Kind::Network),
    ("__subclasses__", Kind::DynamicCode),
    ("__globals__", Kind::DynamicCode),
    ("__builtins__", Kind::DynamicCode),
    ("__code__", Kind::DynamicCode),
    ("f_globals", Kind::DynamicCode),
    ("f_builtins", Kind::DynamicCode),
    ("__import__", Kind::ModuleLoad),
    ("load_module", Kind::ModuleLoad),
    ("exec_module", Kind::ModuleLoad),
];

/// Members of modules in the table that give no capability: constants, types and functions of texts.
const HARMLESS: &[&str] = &[
    "net.{isIP,isIPv4,isIPv6,BlockList,SocketAddress}",
    "http.{STATUS_CODES,METHODS,IncomingMessage,ServerResponse,OutgoingMessage,validateHeaderName,validateHeaderValue}",
    // Types of the models: the call that makes such an object counts.
    "http.{Request,Response,Incoming,ClientRequest,Server}",
    "http2.{constants,sensitiveHeaders,Http2ServerRequest,Http2ServerResponse}",
    "{http,https}.{globalAgent,Agent}",
    "tls.{rootCertificates,checkServerIdentity,getCiphers,DEFAULT_MIN_VERSION,DEFAULT_MAX_VERSION}",
    "dns.{ADDRCONFIG,V4MAPPED,ALL}",
    "vm.{isContext,constants}",
    "cluster.{isMaster,isPrimary,isWorker,worker,workers,settings}",
    "worker_threads.{isMainThread,threadId,parentPort,workerData,resourceLimits,MessageChannel,MessagePort,markAsUntransferable,SHARE_ENV}",
    "multiprocessing.{cpu_count,Lock,RLock,Event,Queue,Value,Array,Semaphore,current_process,TimeoutError}",
    "inspector.url",
    "subprocess.{PIPE,DEVNULL,STDOUT,CalledProcessError,TimeoutExpired,SubprocessError,CompletedProcess,list2cmdline}",
    "socket.{error,timeout,gaierror,herror,AF_INET,AF_INET6,AF_UNIX,SOCK_STREAM,SOCK_DGRAM,inet_aton,inet_ntoa,inet_pton,inet_ntop,htons,ntohs,htonl,ntohl}",
    "ssl.{HAS_SNI,OPENSSL_VERSION,OPENSSL_VERSION_NUMBER,SSLError,SSLContext,create_default_context,CERT_NONE,CERT_REQUIRED,PROTOCOL_TLS}",
    "requests.{Response,Request,PreparedRequest,exceptions,RequestException,ConnectionError,HTTPError,Timeout,codes,status_codes,structures,utils,__version__}",
    "urllib.request.{getproxies,getproxies_environment,parse_http_list,parse_keqv_list,proxy_bypass,proxy_bypass_environment}",
    "urllib3.{exceptions,disable_warnings,__version__}",
    "aiohttp.{ClientError,ClientTimeout,ClientResponse,ClientResponseError,ClientConnectionError,__version__}",
    "httpx.{Response,Request,HTTPError,HTTPStatusError,RequestError,TimeoutException,Timeout,__version__}",
    "ctypes.{c_int,c_uint,c_char_p,c_void_p,c_long,c_ulong,c_size_t,c_bool,c_double,c_float,c_byte,c_ubyte,c_char,Structure,sizeof}",
];

/// Entries of path traversal that load modules rather than files.
const MODULES: &[&str] = &["global.require", "global.import"];

/// Table of the API paths of a language.
#[derive(Debug)]
pub(crate) struct Table {
    exact: HashMap<String, Kind, FixedState>,
    modules: HashMap<String, Kind, FixedState>,
    harmless: HashMap<String, (), FixedState>,
    /// First names of all paths.
    roots: BTreeSet<String>,
    /// Rules whose sinks give a capability. The kind of path traversal depends on the name of the call.
    rules: Vec<(RuleMask, Option<Kind>)>,
}

/// A capability that an API path gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) kind: Kind,
    pub(crate) name: String,
}

impl Table {
    pub(crate) fn new(is_python: bool, knowledge: &Knowledge) -> Table {
        let mut table = Table {
            exact: HashMap::default(),
            modules: HashMap::default(),
            harmless: HashMap::default(),
            roots: WHOLE.iter().map(|(path, _)| (*path).to_owned()).collect(),
            rules: Vec::new(),
        };
        for (kind, paths) in if is_python { PYTHON } else { JAVASCRIPT } {
            for path in paths.iter().flat_map(|path| expand(path).unwrap_or_default()) {
                table.roots.extend(path.split('.').next().map(str::to_owned));
                match path.strip_suffix(".*") {
                    Some(module) => table.modules.insert(module.to_owned(), *kind),
                    None => table.exact.insert(path, *kind),
                };
            }
        }
        for path in HARMLESS.iter().flat_map(|path| expand(path).unwrap_or_default()) {
            table.harmless.insert(path, ());
        }
        for (id, kind) in
            [("command-injection", Some(Kind::Process)), ("ssrf", Some(Kind::Network)), ("path-traversal", None)]
        {
            if let Some((number, _)) = knowledge.rule(id) {
                table.rules.push((1 << number, kind));
            }
        }
        table
    }

    /// Capability of the member or call with an API path. `model` is what the rules know of it.
    pub(crate) fn find(&self, path: &str, model: Option<&ApiModel>) -> Option<Match> {
        if self.harmless.contains_key(path) || MODULES.contains(&path) {
            return None;
        }
        if let Some(&kind) = self.exact.get(path) {
            return Some(Match { kind, name: shown(path) });
        }
        for (at, _) in path.match_indices('.') {
            let (module, member) = (&path[..at], &path[at + 1..]);
            let Some(&kind) = self.modules.get(module) else { continue };
            // The first member names the capability: `net.connect`, whatever the program does with the result.
            let end = member.find(['.', '(', ':']).map_or(path.len(), |end| at + 1 + end);
            let name = &path[..end];
            // Methods of the promise of a module: `import("https").then(...)`.
            if matches!(&path[at + 1..end], "then" | "catch" | "finally") {
                return None;
            }
            return (!self.harmless.contains_key(name)).then(|| Match { kind, name: shown(name) });
        }
        let sinks = model?.sinks.iter().map(|(_, rules)| rules);
        let conditional = model?.conditional_sinks.iter().map(|(_, rules, _)| rules);
        let rules = sinks.chain(conditional).fold(0, |all, rules| all | rules);
        let (_, kind) = self.rules.iter().find(|(rule, _)| rules & rule != 0)?;
        let kind = kind.unwrap_or_else(|| if writes(path) { Kind::FileWrite } else { Kind::FileRead });
        Some(Match { kind, name: shown(path) })
    }

    /// Capability of a use of a module that names no member: a computed one, or code elsewhere gets the module.
    pub(crate) fn whole(&self, path: &str) -> Option<Match> {
        let listed = WHOLE.iter().find(|(known, _)| *known == path).map(|(_, kind)| *kind);
        let kind = self.modules.get(path).copied().or(listed)?;
        let name = if path == "global" { "a computed global variable".to_owned() } else { shown(path) + ".*" };
        Some(Match { kind, name })
    }

    /// Capability of a member by its name alone.
    pub(crate) fn member(name: &str) -> Option<Kind> {
        MEMBERS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// True for paths at which a capability may begin: a value with such a path is followed.
    pub(crate) fn concerns(&self, path: &str) -> bool {
        let root = path.split('.').next().unwrap_or(path);
        match root {
            "global" => true,
            root => self.roots.contains(root),
        }
    }

    /// Capability of an import, of which the code may use any member.
    pub(crate) fn import(&self, module: &str) -> Option<Match> {
        self.modules.get(module).map(|&kind| Match { kind, name: shown(module) })
    }
}

/// API path as programs write it.
fn shown(path: &str) -> String {
    path.strip_prefix("global.").unwrap_or(path).to_owned()
}

/// True if the name of a function on files says that it changes them.
fn writes(path: &str) -> bool {
    const PARTS: &[&str] = &[
        "write", "append", "mkdir", "makedir", "unlink", "remove", "rename", "move", "copy", "symlink", "chmod",
        "chown", "truncate", "touch", "save", "ensure", "empty", "output", "extract", "unpack", "rimraf", "make-dir",
    ];
    const NAMES: &[&str] =
        &["rm", "rmSync", "rmdir", "rmtree", "del", "cp", "cpSync", "mv", "cpy", "ncp", "dest", "link"];
    // The package may say it: `mkdirp.sync`.
    path.split(['.', '/']).any(|name| {
        let lower = name.to_ascii_lowercase();
        NAMES.contains(&name) || PARTS.iter().any(|part| lower.contains(part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, is_python: bool) -> Option<(Kind, String)> {
        let language = if is_python { "python" } else { "javascript" };
        let knowledge = Knowledge::builtin().of_language(language);
        let model = knowledge.api(&knowledge.canonical_path(path));
        Table::new(is_python, &knowledge).find(path, model.as_deref()).map(|found| (found.kind, found.name))
    }

    #[test]
    fn calls_have_kinds() {
        for (path, kind, name) in [
            ("https.request", Kind::Network, "https.request"),
            ("net.Socket.new().connect", Kind::Network, "net.Socket"),
            ("axios", Kind::Network, "axios"),
            ("child_process.exec", Kind::Process, "child_process.exec"),
            ("execa", Kind::Process, "execa"),
            ("global.eval", Kind::DynamicCode, "eval"),
            ("fs.promises.rm", Kind::FileWrite, "fs.promises.rm"),
            ("fs-extra.outputFile", Kind::FileWrite, "fs-extra.outputFile"),
            ("glob.sync", Kind::FileRead, "glob.sync"),
            ("mkdirp.sync", Kind::FileWrite, "mkdirp.sync"),
        ] {
            assert_eq!(found(path, false), Some((kind, name.to_owned())), "{path}");
        }
        for (path, kind) in [
            ("subprocess.run", Kind::Process),
            ("requests.get", Kind::Network),
            ("ctypes.CDLL", Kind::NativeCode),
            ("shutil.rmtree", Kind::FileWrite),
        ] {
            assert_eq!(found(path, true), Some((kind, path.to_owned())), "{path}");
        }
    }

    #[test]
    fn constants_and_modules_have_none() {
        for path in [
            "net.isIP",
            "https.then",
            "http.Request.get",
            "http.STATUS_CODES",
            "path.join",
            "global.require",
            "lodash.merge",
        ] {
            assert_eq!(found(path, false), None, "{path}");
        }
        assert_eq!(found("subprocess.PIPE", true), None);
    }

    #[test]
    fn all_entries_expand() {
        let paths = JAVASCRIPT.iter().chain(PYTHON).flat_map(|(_, paths)| *paths).chain(HARMLESS);
        for path in paths {
            assert!(expand(path).is_ok(), "{path}");
        }
    }
}
