import subprocess

from fastapi import FastAPI

app = FastAPI()


@app.get("/wait/{seconds}")
async def index(seconds: int):
    subprocess.run(f"sleep {seconds}", shell=True)  # safe
    return {"ok": True}
