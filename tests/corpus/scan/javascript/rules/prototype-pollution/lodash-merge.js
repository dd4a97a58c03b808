const _ = require('lodash');

const options = {};
_.merge(options, JSON.parse(process.argv[2])); // source: input1 // sink: prototype-pollution input1
_.defaultsDeep(options, JSON.parse(process.argv[2])); // source: input2 // sink: prototype-pollution input2
_.set(options, process.argv[2], 1); // source: input3 // sink: prototype-pollution input3
_.setWith(options, process.argv[2], 1, Object); // source: input4 // sink: prototype-pollution input4
_.assign(options, JSON.parse(process.argv[2])); // ok: prototype-pollution
