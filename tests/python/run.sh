#!/usr/bin/env bash
# run.sh BIN SOURCE: the tests of the Python module, against the programs in BIN. Skipped (77) without Python or pytest;
# HEADSCOPE_PYTHON names another Python than the first that has pytest.
set -euo pipefail
export HEADSCOPE_BIN=$1 HEADSCOPE_SOURCE_DIR=$2
export PYTHONPATH=$2/packaging/python:$2/tests/python PYTHONDONTWRITEBYTECODE=1
for python in ${HEADSCOPE_PYTHON:-python3 /usr/bin/python3}; do
    if "$python" -c 'import sys, pytest; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
        exec "$python" -m pytest -q -p no:cacheprovider -r s "$2/tests/python"
    fi
done
echo "skipped: no Python 3.9 with pytest (Debian: python3-pytest; python3-numpy and python3-pandas let more of the tests run)"
exit 77
