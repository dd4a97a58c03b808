from fastapi import FastAPI
from fastapi.responses import RedirectResponse

app = FastAPI()


def leave(url):
    return RedirectResponse(url)  # sink: open-redirect a


@app.get("/leave")
async def index(url: str):  # source: a
    return leave(url)
