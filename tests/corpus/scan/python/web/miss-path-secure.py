import os

from flask import Flask, request
from werkzeug.utils import secure_filename

app = Flask(__name__)


@app.route("/upload", methods=["POST"])
def index():
    file = request.files["file"]
    file.save(os.path.join("/srv/files", secure_filename(file.filename)))  # safe
    return "ok"
