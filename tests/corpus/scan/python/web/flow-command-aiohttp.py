import asyncio

from aiohttp import web


async def run(command):
    process = await asyncio.create_subprocess_shell(command)  # sink: command-injection a
    return await process.wait()


async def handle(request):
    code = await run("ls " + request.query["folder"])  # source: a
    return web.json_response({"code": code})


app = web.Application()
app.router.add_get("/", handle)
