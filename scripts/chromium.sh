#!/usr/bin/env bash
# Prints the path of a Chromium for the browser tests: $IBID_CHROMIUM if set, else Debian's, installed when missing.
. "$(dirname "$0")/lib.sh"

chromium=${IBID_CHROMIUM:-/usr/bin/chromium}
# The fonts keep text, and with it screenshots, from being empty boxes on a machine that has none.
[[ -n ${IBID_CHROMIUM:-} || -x $chromium ]] || install_packages chromium chromium fonts-liberation fonts-noto-color-emoji
[[ -x $chromium ]] || die chromium "$chromium is not a program; set IBID_CHROMIUM to the path of a Chromium"
say chromium "$("$chromium" --version 2>/dev/null | awk '{ print $2 }')"
echo "$chromium"
