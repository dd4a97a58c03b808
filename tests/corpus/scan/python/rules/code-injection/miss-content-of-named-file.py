import sys

# Who names a file does not write it.
with open(sys.argv[1]) as file:
    for line in file:
        eval(line)  # safe
