import { Field } from './field';
import { run } from './run';

run({ [Field.Command]: process.argv[2] }); // source: argv
