import { exec } from 'child_process';

function list(folder: string) {
  exec('ls ' + folder); // sink: command-injection folder
}

export async function GET(request: Request, { params }: { params: { folder: string } }) {
  list(params.folder); // source: folder
}
