# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Jobs of steps, and what these have done on the machine GUEST.

# steps FILE...: print a job of them for GUEST, which checks/lib/as-before takes.
steps()
{
	echo "CHECK=$CHECK GUEST=$GUEST"
	cat checks/lib/as-before "$@"
}

# left_nothing: each step that as_before ran did that.
left_nothing()
{
	judged "$CHECK: $GUEST" cat "$TMP/$GUEST/out/results"
}

# said NAME WHAT PATTERN: the step printed it.
said()
{
	expect "$CHECK: $GUEST: $1: $2" file_says "$TMP/$GUEST/out/$1.log" "$3"
}

# ended_with NAME CODE
ended_with()
{
	expect "$CHECK: $GUEST: $1: ends with $2" [ "$(cat "$TMP/$GUEST/out/$1.code")" -eq "$2" ]
}
