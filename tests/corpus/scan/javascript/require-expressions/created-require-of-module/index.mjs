import module from 'module';

function load() {
  const here = module.createRequire(import.meta.url);
  return here('./run.cjs');
}

load().run(process.argv[2]); // source: argv
