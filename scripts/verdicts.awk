# SPDX-License-Identifier: GPL-2.0
#
# Judge the rows of a summary.csv by what they must be: takes it with run=NAME and
# want="METHOD STATE VERDICT [TEXT]; ...", a row each and no others. TEXT are the
# qualifiers of a PASS, joined by +, or the reason of a SKIP.
#
# Prints PASS or FAIL and the figure, one line each.

function judge(name, reached, figure)
{
	print (reached ? "PASS" : "FAIL") " verdicts: " run ": " name ": " figure
}

# The same qualifiers, in whatever order.
function same(a, b,    i, part)
{
	if (length(a) != length(b))
		return 0
	for (i = split(a, part, "+"); i; i--)
		if (index("+" b "+", "+" part[i] "+") == 0)
			return 0
	return 1
}

function value(name)
{
	return $column[name]
}

# What the verdict says and the figures beside it do not.
function contradiction(verdict)
{
	if (verdict == "FAIL" && value("smallest_pass_ns") + 0 <= value("declared_ns") + 0)
		return "FAIL of what would have passed"
	if (verdict == "FAIL" && !value("above"))
		return "FAIL with nothing above"
	if (verdict != "PASS")
		return value("qualifier") == "" ? "" : verdict " with a qualifier"
	if (value("smallest_pass_ns") + 0 > value("declared_ns") + 0)
		return "PASS of what would not have passed"
	if (value("above") + value("discarded_above"))
		return "PASS with something above"
	if ((value("reached") == "") != (value("qualifier") ~ /unverified/))
		return "unverified and reached do not agree"
	return ""
}

function check_row(key,    verdict, must, text, kept)
{
	verdict = value("verdict")
	text = value(verdict == "PASS" ? "qualifier" : "reason")
	must = wanted[key]
	kept = verdict == must
	if (kept && verdict == "PASS")
		kept = same(text, wanted_text[key])
	if (kept && verdict == "SKIP")
		kept = text == wanted_text[key]
	judge(key, kept, "is " verdict " " text ", must be " must " " wanted_text[key] "; " \
	      value("max_ns") " of " value("declared_ns") " ns, " value("valid") " samples, " \
	      value("reached") " reached, " value("package") " with the package")
	if (contradiction(verdict) != "")
		contradictions = contradictions " " key ": " contradiction(verdict) ";"
}

BEGIN {
	FS = ","
	for (i = split(want, rows, / *; */); i; i--) {
		split(rows[i], word, " ")
		key = word[1] " " word[2]
		wanted[key] = word[3]
		text = rows[i]
		sub(/^[^ ]+ [^ ]+ [^ ]+ ?/, "", text)
		wanted_text[key] = text
	}
}

FNR == 1 {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}

{
	key = value("method") " " value("state")
	if (key in wanted)
		check_row(key)
	else
		judge(key, 0, "nobody asked for it")
	seen[key]
}

END {
	for (key in wanted)
		if (!(key in seen))
			judge(key, 0, "there is no such row")
	judge("contradictions", contradictions == "", contradictions == "" ? "none" : contradictions)
}
