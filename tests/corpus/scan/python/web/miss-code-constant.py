from flask import Flask, request

app = Flask(__name__)


class Thing:
    def do(self, text):
        return "print('ok')"


@app.route("/exec")
def index():
    param = request.form.get("code")
    exec(Thing().do(param))  # safe
    return "ok"
