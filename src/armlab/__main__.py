"""`python -m armlab` is the same as `armlab`."""

from armlab.cli.main import main

if __name__ == "__main__":
    main()
