#!/bin/sh
# with_packages.sh PACKAGES ARGUMENTS...: runs Python with these arguments, by the first interpreter that has the packages.
packages=$1
shift
for python in "${DDLSIM_PYTHON:-python3}" python3 /usr/bin/python3; do
  "$python" -c "import $packages" 2>/dev/null && exec env PYTHONDONTWRITEBYTECODE=1 "$python" "$@"
done
echo "[skipped] no Python has $packages"
exit 77
