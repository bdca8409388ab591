"""What armlab tells about robots, motions and runs, in the units people read: millimetres, degrees, kilograms.

The command line prints these, `--json` writes them, the server answers with them and the page's types are
generated from them, so that all of them always say the same.
"""
