"""`python -m ambos`: the command line, where the program is not on the path."""

from ambos.cli.app import main

main()
