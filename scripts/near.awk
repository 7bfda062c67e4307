# SPDX-License-Identifier: GPL-2.0
#
# Judge verdicts on states whose truth is near what is declared. Takes lines of what was
# drawn, "KEY DECLARED_NS TRUTH_NS", and then of what was measured, "KEY VERDICT LARGEST_NS".
#
# Prints PASS or FAIL and the figure, one line each; before these, each verdict that is wrong.

function judge(name, reached, figure)
{
	print (reached ? "PASS" : "FAIL") " verdicts: near: " name ": " figure
}

# What the verdict has to be; between the two, either.
function must_be(beyond)
{
	return beyond >= 25 ? "FAIL" : beyond <= -25 ? "PASS" : "PASS or FAIL"
}

FNR == 1 {
	file++
}

file == 1 {
	declared[$1] = $2
	truth[$1] = $3
	drawn++
}

file == 2 {
	verdict[$1] = $2
	largest[$1] = $3
}

END {
	for (key in truth) {
		must = must_be(truth[key] - declared[key])
		count[must]++
		if (verdict[key] != "" && index(must, verdict[key])) {
			right[must]++
			continue
		}
		judge(key " of " truth[key] " ns, declared " declared[key], 0,
		      "is " verdict[key] ", must be " must ", largest " largest[key] " ns")
	}
	judge("truths", drawn >= 100, drawn + 0 ", must be 100 or more")
	judge("25 ns or more above is FAIL", count["FAIL"] >= 30 && right["FAIL"] == count["FAIL"],
	      right["FAIL"] + 0 " of " count["FAIL"] + 0)
	judge("25 ns or more below is PASS", count["PASS"] >= 30 && right["PASS"] == count["PASS"],
	      right["PASS"] + 0 " of " count["PASS"] + 0)
	must = "PASS or FAIL"
	judge("between these is PASS or FAIL", right[must] == count[must],
	      right[must] + 0 " of " count[must] + 0)
}
