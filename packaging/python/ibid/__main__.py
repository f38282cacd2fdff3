"""`python -m ibid …` is `ibid …`."""

import sys

from . import _run

if __name__ == "__main__":
    _run(sys.argv[1:])
