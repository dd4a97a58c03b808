export default process.argv[2]; // source: argv
