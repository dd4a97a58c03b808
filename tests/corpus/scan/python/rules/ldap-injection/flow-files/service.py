import ldap3


def handle(value):
    ldap3.Connection("a").search("dc=a", "(cn=" + value + ")")  # sink: ldap-injection a
