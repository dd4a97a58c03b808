import subprocess

from fastapi import FastAPI, Request

app = FastAPI()


def run(command):
    return subprocess.check_output(command, shell=True)  # sink: command-injection a


@app.post("/run")
async def index(request: Request):
    body = await request.json()  # source: a
    return {"output": run("cat " + body["file"]).decode()}
