const command = process.argv[2]; // source: argv
export default command;
