from flask import Flask, request

app = Flask(__name__)


@app.route("/exec")
def index():
    param = request.form.get("code")  # source: a
    if not param.startswith("'") or not param.endswith("'") or "'" in param[1:-1]:
        return "Exec argument must be a plain string literal."
    value = param.replace("a", "b")
    return str(eval(request.form["other"] + value))  # source: b  # sink: code-injection b
