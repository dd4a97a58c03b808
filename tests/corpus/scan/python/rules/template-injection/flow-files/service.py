from jinja2 import Template


def handle(value):
    Template("Hi " + value).render()  # sink: template-injection a
